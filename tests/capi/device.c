/* Puts memory of a GPU, which the tests' double of the CUDA driver has: capi_device FILE */
#include <stdio.h>
#include <string.h>

#include "esker/esker.h"

/* Those functions of the driver that a program calls, and of its double. */
int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuCtxPushCurrent_v2(void* context);
int cuStreamCreate(void** stream, unsigned flags);
int cuMemAlloc_v2(unsigned long long* address, size_t bytes);
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes);
int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes);
void esker_double_fill_later(void* stream, unsigned long long address, size_t bytes, int value);

enum { NX = 13, NY = 7, NUM = NX * NY };

static int failures = 0;
#define CHECK(condition)                                                                         \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      ++failures;                                                                                \
      fprintf(stderr, "%s:%d: %s\n    %s\n", __FILE__, __LINE__, #condition, esker_message(ds)); \
    }                                                                                            \
  } while (0)

static esker_dataset* create(const char* path, int* field) {
  esker_options* options = NULL;
  esker_dataset* ds = NULL;
  int dims[2], grid;
  CHECK(esker_options_new(&options) == ESKER_OK);
  CHECK(esker_options_set(options, "overwrite", "true") == ESKER_OK);
  CHECK(esker_options_set(options, "report", "none") == ESKER_OK);
  CHECK(esker_create(path, NULL, options, &ds) == ESKER_OK);
  esker_options_free(options);
  CHECK(esker_def_dim(ds, "x", NX, &dims[0]) == ESKER_OK);
  CHECK(esker_def_dim(ds, "y", NY, &dims[1]) == ESKER_OK);
  CHECK(esker_def_grid(ds, "map", 2, dims, &grid) == ESKER_OK);
  CHECK(esker_def_field(ds, grid, "n", ESKER_INT16, 1, ESKER_EVERY_STEP, field) == ESKER_OK);
  return ds;
}

/* Step 0: what is in the memory; step 1: what the program's stream stores there later. */
static void write_steps(const char* path, const int16_t* samples) {
  static const int64_t lo[2] = {0, 0}, extent[2] = {NX, NY};
  const int filling = 3;
  int field = -1;
  void *context = NULL, *stream = NULL;
  unsigned long long address = 0;
  const void* memory;
  esker_dataset* ds = create(path, &field);
  CHECK(cuInit(0) == 0 && cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxPushCurrent_v2(context) == 0);
  CHECK(cuMemAlloc_v2(&address, NUM * sizeof *samples) == 0);
  CHECK(cuMemcpyHtoD_v2(address, samples, NUM * sizeof *samples) == 0);
  memory = (const void*)(size_t)address;
  CHECK(esker_begin_step(ds, 0) == ESKER_OK);
  CHECK(esker_put(ds, field, ESKER_INT16, lo, extent, memory) == ESKER_OK);
  CHECK(esker_end_step(ds) == ESKER_OK);

  CHECK(cuStreamCreate(&stream, 0) == 0);
  esker_double_fill_later(stream, address, NUM * sizeof *samples, filling);
  CHECK(esker_set_stream(ds, stream) == ESKER_OK);
  CHECK(esker_begin_step(ds, 1) == ESKER_OK);
  CHECK(esker_put(ds, field, ESKER_INT16, lo, extent, memory) == ESKER_OK);
  CHECK(esker_end_step(ds) == ESKER_OK);
  CHECK(esker_close(ds) == ESKER_OK);
  CHECK(esker_set_stream(ds, NULL) == ESKER_OK);
  esker_free(ds);
}

static void expect_steps(const char* path, const int16_t* samples) {
  int16_t found[NUM];
  esker_dataset* ds = NULL;
  int i;
  CHECK(esker_open(path, 0, &ds) == ESKER_OK);
  CHECK(esker_get(ds, 0, 0, NULL, NULL, ESKER_FULL_LEVEL, found, sizeof found) == ESKER_OK);
  CHECK(memcmp(found, samples, sizeof found) == 0);
  CHECK(esker_get(ds, 0, 1, NULL, NULL, ESKER_FULL_LEVEL, found, sizeof found) == ESKER_OK);
  for (i = 0; i < NUM; ++i) CHECK(found[i] == 0x0303);
  esker_free(ds);
}

/* Memory is filled after what the stream has to do, by one rank and by all together. */
static void expect_filled(const char* path, const int16_t* samples) {
  int16_t found[NUM];
  unsigned long long address = 0;
  void* stream = NULL;
  esker_dataset* ds = NULL;
  int is_together;
  CHECK(cuMemAlloc_v2(&address, sizeof found) == 0 && cuStreamCreate(&stream, 0) == 0);
  for (is_together = 0; is_together < 2; ++is_together) {
    void* const memory = (void*)(size_t)address;
    if (is_together) {
      CHECK(esker_open_parallel(path, NULL, NULL, 0, &ds) == ESKER_OK);
    } else {
      CHECK(esker_open(path, 0, &ds) == ESKER_OK);
    }
    CHECK(esker_set_stream(ds, stream) == ESKER_OK);
    esker_double_fill_later(stream, address, sizeof found, 5);
    if (is_together) {
      CHECK(esker_request(ds, 0, 0, NULL, NULL, ESKER_FULL_LEVEL, memory, sizeof found) == ESKER_OK);
      CHECK(esker_read(ds) == ESKER_OK);
    } else {
      CHECK(esker_get(ds, 0, 0, NULL, NULL, ESKER_FULL_LEVEL, memory, sizeof found) == ESKER_OK);
    }
    CHECK(cuMemcpyDtoH_v2(found, address, sizeof found) == 0);
    CHECK(memcmp(found, samples, sizeof found) == 0);
    CHECK(esker_close(ds) == ESKER_OK);
    CHECK(esker_set_stream(ds, NULL) == ESKER_WRONG_ORDER);
    esker_free(ds);
  }
}

int main(int argc, char** argv) {
  int16_t samples[NUM];
  int i;
  if (argc != 2) {
    fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 2;
  }
  for (i = 0; i < NUM; ++i) samples[i] = (int16_t)(i * 7);
  write_steps(argv[1], samples);
  expect_steps(argv[1], samples);
  expect_filled(argv[1], samples);
  return failures > 0;
}
