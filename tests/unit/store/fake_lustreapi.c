/* Replaces liblustreapi in a test: the path determines the layout. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct llapi_layout {
  uint64_t size, count;
};

int fake_layouts_held = 0;

struct llapi_layout* llapi_layout_get_by_path(const char* path, uint32_t flags) {
  struct llapi_layout* layout;
  if (flags != 1 || strcmp(path, "/nothing") == 0) return NULL;
  layout = malloc(sizeof *layout);
  layout->size = 4u << 20;
  layout->count = strcmp(path, "/wide") == 0 ? 0x1000000000000003ULL : 12;
  ++fake_layouts_held;
  return layout;
}

int llapi_layout_stripe_size_get(const struct llapi_layout* layout, uint64_t* size) {
  *size = layout->size;
  return 0;
}

int llapi_layout_stripe_count_get(const struct llapi_layout* layout, uint64_t* count) {
  *count = layout->count;
  return 0;
}

void llapi_layout_free(struct llapi_layout* layout) {
  --fake_layouts_held;
  free(layout);
}
