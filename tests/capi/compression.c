/* Compressed fields, fields with stored bits, and their errors. */
#include <math.h>
#include <stdlib.h>

#include "world.h"

enum { NX = 13, NY = 21, NZ = 18 };
static const double kBound = 1e-3;

static double sample(int64_t step, int64_t x, int64_t y, int64_t z) {
  return (double)(step + 1) * (double)(x * x + 3 * y * z) / 7;
}

static void put_samples(const struct world* w, esker_dataset* ds, int field, int64_t step, double* samples) {
  int64_t lo[3] = {0, 0, 0}, extent[3] = {0, NY, NZ}, x, y, z;
  double* next = samples;
  my_columns(w, &lo[0], &extent[0]);
  for (z = 0; z < NZ; ++z)
    for (y = 0; y < NY; ++y)
      for (x = lo[0]; x < lo[0] + extent[0]; ++x) *next++ = sample(step, x, y, z);
  CHECK_OK(ds, esker_put(ds, field, ESKER_FLOAT64, lo, extent, samples));
}

static void write_samples(const struct world* w) {
  esker_dataset* ds = create(w, "compressed.idx");
  double* memory = malloc(2 * sizeof(double) * NX * NY * NZ);
  int dims[3], grid, fields[2], step;
  CHECK_OK(ds, esker_def_dim(ds, "x", NX, &dims[0]));
  CHECK_OK(ds, esker_def_dim(ds, "y", NY, &dims[1]));
  CHECK_OK(ds, esker_def_dim(ds, "z", NZ, &dims[2]));
  CHECK_OK(ds, esker_def_grid(ds, "volume", 3, dims, &grid));
  CHECK_OK(ds, esker_def_field(ds, grid, "lossy", ESKER_FLOAT64, 1, ESKER_EVERY_STEP, &fields[0]));
  CHECK_OK(ds, esker_def_field(ds, grid, "exact", ESKER_FLOAT64, 1, ESKER_EVERY_STEP, &fields[1]));
  CHECK_OK(ds, esker_def_compression(ds, fields[0], "zfp-accuracy=1e-3"));
  CHECK_OK(ds, esker_def_compression(ds, fields[1], "zip"));
  for (step = 0; step < 2; ++step) {
    CHECK_OK(ds, esker_begin_step(ds, step));
    put_samples(w, ds, fields[0], step, memory);
    put_samples(w, ds, fields[1], step, memory + NX * NY * NZ);
    CHECK_OK(ds, esker_end_step(ds));
  }
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  free(memory);
}

/* The largest difference to the samples that were put. */
static double measured(esker_dataset* ds, int field, int64_t step) {
  double* samples = malloc(sizeof(double) * NX * NY * NZ);
  double largest = 0;
  int64_t i;
  CHECK_OK(ds, esker_get(ds, field, step, NULL, NULL, ESKER_FULL_LEVEL, samples,
                         (int64_t)sizeof(double) * NX * NY * NZ));
  for (i = 0; i < NX * NY * NZ; ++i) {
    double error = fabs(samples[i] - sample(step, i % NX, i / NX % NY, i / (NX * NY)));
    if (error > largest) largest = error;
  }
  free(samples);
  return largest;
}

static void expect_errors(const struct world* w) {
  esker_dataset* ds = NULL;
  double largest = -1, rms = -1, last = -1;
  int is_lossy = -1;
  CHECK_OK(ds, esker_open(path_of(w, "compressed.idx"), 0, &ds));
  CHECK_OK(ds, esker_inq_errors(ds, 0, 0, &is_lossy, &largest, &rms));
  CHECK(is_lossy == 1 && rms > 0 && rms <= largest && largest <= kBound && measured(ds, 0, 0) <= largest);
  CHECK_OK(ds, esker_inq_errors(ds, 0, 1, &is_lossy, &largest, NULL));
  CHECK_OK(ds, esker_inq_errors(ds, 0, ESKER_LAST_STEP, &is_lossy, &last, NULL));
  CHECK(last == largest && measured(ds, 0, 1) <= largest);
  CHECK_OK(ds, esker_inq_errors(ds, 1, 0, &is_lossy, &largest, &rms));
  CHECK(is_lossy == 0 && largest == 0 && rms == 0 && measured(ds, 1, 0) == 0);
  CHECK_FAILS(ds, esker_inq_errors(ds, 0, 2, &is_lossy, NULL, NULL), ESKER_OUT_OF_RANGE, "step 2");
  CHECK_FAILS(ds, esker_inq_errors(ds, 7, 0, &is_lossy, NULL, NULL), ESKER_OUT_OF_RANGE, "number 7");
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

static void write_bits(const struct world* w) {
  esker_dataset* ds = create(w, "bits.idx");
  double* memory = malloc(sizeof(double) * NX * NY * NZ);
  int dims[3], grid, few, plain;
  CHECK_OK(ds, esker_def_dim(ds, "x", NX, &dims[0]));
  CHECK_OK(ds, esker_def_dim(ds, "y", NY, &dims[1]));
  CHECK_OK(ds, esker_def_dim(ds, "z", NZ, &dims[2]));
  CHECK_OK(ds, esker_def_grid(ds, "volume", 3, dims, &grid));
  CHECK_OK(ds, esker_def_field(ds, grid, "few", ESKER_FLOAT64, 1, ESKER_EVERY_STEP, &few));
  CHECK_OK(ds, esker_def_field(ds, grid, "plain", ESKER_FLOAT64, 1, ESKER_EVERY_STEP, &plain));
  CHECK_OK(ds, esker_def_stored_bits(ds, few, 32));
  CHECK_OK(ds, esker_begin_step(ds, 0));
  put_samples(w, ds, few, 0, memory);
  put_samples(w, ds, plain, 0, memory);
  CHECK_OK(ds, esker_end_step(ds));
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  free(memory);
}

static void expect_bits(const struct world* w) {
  esker_dataset* ds = NULL;
  double largest = -1, with_all, with_8;
  int is_lossy = -1, bits = -1;
  CHECK_OK(ds, esker_open(path_of(w, "bits.idx"), 0, &ds));
  CHECK_OK(ds, esker_inq_stored_bits(ds, 0, &bits));
  CHECK(bits == 32);
  CHECK_OK(ds, esker_inq_stored_bits(ds, 1, &bits));
  CHECK(bits == 0);
  with_all = measured(ds, 0, 0);
  CHECK_OK(ds, esker_set_bits(ds, 0, 8));
  with_8 = measured(ds, 0, 0);
  CHECK_OK(ds, esker_inq_errors(ds, 0, 0, &is_lossy, &largest, NULL));
  CHECK(is_lossy == 1 && with_all <= largest && largest < with_8);
  CHECK_OK(ds, esker_set_bits(ds, 0, 0));
  CHECK(measured(ds, 0, 0) == with_all);
  CHECK_FAILS(ds, esker_set_bits(ds, 0, 33), ESKER_OUT_OF_RANGE, "expected 1 to 32");
  CHECK_FAILS(ds, esker_set_bits(ds, 1, 8), ESKER_INVALID_ARGUMENT, "stored as they are");
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

static void expect_wrong_bits(const struct world* w) {
  int field;
  esker_dataset* ds = create_map(w, "wrong_bits.idx", &field);
  CHECK_FAILS(ds, esker_def_stored_bits(ds, field, 12), ESKER_INVALID_ARGUMENT, "expected 1, 2, 4");
  CHECK_FAILS(ds, esker_close(ds), ESKER_INVALID_ARGUMENT, "expected 1, 2, 4");
  esker_free(ds);
}

static void expect_unknown_spelling(const struct world* w) {
  int field;
  esker_dataset* ds = create_map(w, "spelling.idx", &field);
  CHECK_FAILS(ds, esker_def_compression(ds, field, "gzip"), ESKER_INVALID_ARGUMENT, "zfp-reversible");
  CHECK_FAILS(ds, esker_close(ds), ESKER_INVALID_ARGUMENT, "zfp-reversible");
  esker_free(ds);
}

void test_compression(const struct world* w) {
  write_samples(w);
  expect_errors(w);
  expect_unknown_spelling(w);
  write_bits(w);
  expect_bits(w);
  expect_wrong_bits(w);
}
