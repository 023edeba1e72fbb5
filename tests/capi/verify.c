/* esker_verify, and reading with ESKER_OPEN_VERIFY, detect damage. */
#include <stdio.h>
#include <string.h>

#include "world.h"

static void count_progress(double done, void* context) {
  double* last = context;
  CHECK(done >= *last && done <= 1);
  *last = done;
}

/* Changes the last byte, which belongs to a block. */
static void damage(const char* path) {
  int byte;
  FILE* file = fopen(path, "r+b");
  CHECK(file != NULL);
  if (!file) return;
  CHECK(fseek(file, -1, SEEK_END) == 0);
  byte = fgetc(file);
  CHECK(byte != EOF && fseek(file, -1, SEEK_END) == 0);
  CHECK(fputc(byte ^ 0x5a, file) != EOF && fclose(file) == 0);
}

static void expect_damage(const char* path, const char* block_file) {
  static float samples[13 * 7];
  esker_dataset* ds = NULL;
  esker_verify_report found;
  int64_t f;
  int is_error = -1, named = 0;
  const char *where = NULL, *text = NULL;
  CHECK_OK(ds, esker_open(path, 0, &ds));
  CHECK_OK(ds, esker_verify(ds, NULL, NULL, &found));
  CHECK(found.errors == 1 && found.findings >= 1);
  for (f = 0; f < found.findings; ++f) {
    CHECK_OK(ds, esker_inq_finding(ds, f, &is_error, &where, &text));
    if (is_error == 1 && strstr(where, block_file) && strlen(text) > 5) ++named;
  }
  CHECK(named == 1);
  CHECK_FAILS(ds, esker_inq_finding(ds, found.findings, NULL, NULL, NULL), ESKER_OUT_OF_RANGE, "finding");
  esker_free(ds);
  ds = NULL;
  CHECK_OK(ds, esker_open(path, ESKER_OPEN_VERIFY, &ds));
  CHECK_FAILS(ds, esker_get(ds, 0, 0, NULL, NULL, ESKER_FULL_LEVEL, samples, sizeof samples), ESKER_DATA_LOSS,
              block_file);
  esker_free(ds);
}

/* Only one rank reads, because the test damages the dataset. */
void test_verify(const struct world* w) {
  esker_dataset* ds;
  esker_verify_report found;
  esker_step_report last;
  double progress = 0;
  int field = -1;
  ds = create_map(w, "verify.idx", &field);
  CHECK_OK(ds, write_map(w, ds, field, 0, 1));
  CHECK_OK(ds, esker_inq_last_step(ds, &last));
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  if (w->rank != 0) return;
  ds = NULL;
  CHECK_OK(ds, esker_open(path_of(w, "verify.idx"), 0, &ds));
  CHECK_OK(ds, esker_verify(ds, count_progress, &progress, &found));
  CHECK(progress > 0);
  CHECK(found.errors == 0 && found.warnings == 0 && found.findings == 0);
  CHECK(found.steps == 1 && found.files == last.files && found.blocks >= 2 &&
        found.bytes == last.stored_bytes);
  CHECK(found.blocks_with_checksum == found.blocks && found.blocks_left_out == 0);
  esker_free(ds);
  damage(path_of(w, "verify/time_0000/0000.bin"));
  expect_damage(path_of(w, "verify.idx"), "0000.bin");
}
