/* Adaptive storage: rules, level maps, what is stored, and how reads fill what is not. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

/* 8 x 8 samples, levels 0 to 6. Kept are level 4 everywhere (16 samples) and all of x >= 4, y >= 4 (16, of
   which 4 are of level 4): 28 samples. */
enum { N = 8, MAX_LEVEL = 6, PRIMARY = 28 };
static const float kFill = -7;

/* Linear, so that interpolation is exact. */
static float linear(int64_t x, int64_t y) { return (float)(10 * y + x); }
static int in_quadrant(int64_t x, int64_t y) { return x >= 4 && y >= 4; }

/* A dataset that is written, and what this rank puts of it: columns of two fields, and levels. */
struct run {
  esker_dataset* ds;
  int grid, f, mark; /* f is linear; mark is 1 in the inner 2 x 2 samples of the quadrant, NaN at (1, 1) */
  int64_t lo[2], extent[2];
  float f_samples[N * N], mark_samples[N * N];
  int8_t levels[N * N], levels_y_first[N * N];
};

static int64_t at(const struct run* r, int64_t x, int64_t y) {
  return (y - r->lo[1]) * r->extent[0] + x - r->lo[0];
}

static void fill(struct run* r) {
  int64_t x, y;
  for (y = 0; y < N; ++y)
    for (x = r->lo[0]; x < r->lo[0] + r->extent[0]; ++x) {
      const int inner = x >= 5 && x < 7 && y >= 5 && y < 7;
      const int8_t level = in_quadrant(x, y) ? 0 : ESKER_KEEP_DROPPED;
      r->f_samples[at(r, x, y)] = linear(x, y);
      r->mark_samples[at(r, x, y)] = x == 1 && y == 1 ? (float)NAN : (float)inner;
      r->levels[at(r, x, y)] = level;
      r->levels_y_first[(x - r->lo[0]) * N + y] = level;
    }
}

static void start(const struct world* w, struct run* r, const char* name, const char* bits_per_block) {
  esker_options* options = small_options();
  const double fill_value = kFill;
  int dims[2];
  memset(r, 0, sizeof *r);
  CHECK(esker_options_set(options, "bits_per_block", bits_per_block) == ESKER_OK);
  CHECK_OK(r->ds, esker_create(path_of(w, name), w->comm, options, &r->ds));
  esker_options_free(options);
  CHECK_OK(r->ds, esker_def_dim(r->ds, "x", N, &dims[0]));
  CHECK_OK(r->ds, esker_def_dim(r->ds, "y", N, &dims[1]));
  CHECK_OK(r->ds, esker_def_grid(r->ds, "map", 2, dims, &r->grid));
  CHECK_OK(r->ds, esker_def_field(r->ds, r->grid, "f", ESKER_FLOAT32, 1, ESKER_EVERY_STEP, &r->f));
  CHECK_OK(r->ds, esker_def_field(r->ds, r->grid, "mark", ESKER_FLOAT32, 1, ESKER_EVERY_STEP, &r->mark));
  CHECK_OK(r->ds, esker_put_att_double(r->ds, ESKER_FIELD, r->f, "_FillValue", &fill_value, 1));
  r->lo[0] = (int64_t)N * w->rank / w->size;
  r->extent[0] = (int64_t)N * (w->rank + 1) / w->size - r->lo[0];
  r->extent[1] = N;
  fill(r);
}

static void put(struct run* r, double time) {
  CHECK_OK(r->ds, esker_begin_step(r->ds, time));
  CHECK_OK(r->ds, esker_put(r->ds, r->f, ESKER_FLOAT32, r->lo, r->extent, r->f_samples));
  CHECK_OK(r->ds, esker_put(r->ds, r->mark, ESKER_FLOAT32, r->lo, r->extent, r->mark_samples));
}

static void finish(struct run* r) {
  CHECK_OK(r->ds, esker_close(r->ds));
  esker_free(r->ds);
}

/* The rules of one step; each keeps the quadrant in another way. */
typedef void (*add_rules)(const struct world* w, struct run* r);

/* Two boxes that overlap and leave the grid, known to the last rank only. */
static void keep_boxes(const struct world* w, struct run* r) {
  static const int64_t lo[4] = {4, 4, 4, 6}, extent[4] = {100, 3, 4, 2};
  if (w->rank == w->size - 1) {
    CHECK_OK(r->ds, esker_keep_boxes(r->ds, ESKER_GRID, r->grid, 2, lo, extent, 0, 0));
  } else {
    CHECK_OK(r->ds, esker_keep_boxes(r->ds, ESKER_GRID, r->grid, 0, NULL, NULL, 0, 0));
  }
}

static void keep_dilated_box(const struct world* w, struct run* r) {
  static const int64_t lo[2] = {6, 6}, extent[2] = {1, 1};
  (void)w;
  CHECK_OK(r->ds, esker_keep_boxes(r->ds, ESKER_GRID, r->grid, 1, lo, extent, 0, 2));
}

static void keep_range(const struct world* w, struct run* r) {
  (void)w;
  CHECK_OK(r->ds, esker_keep_range(r->ds, ESKER_GRID, r->grid, r->mark, 1, 2, 0, 1, 1));
}

static void keep_levels(const struct world* w, struct run* r) {
  (void)w;
  CHECK_OK(r->ds, esker_keep_levels(r->ds, ESKER_GRID, r->grid, r->lo, r->extent, r->levels, NULL, 0));
}

static void keep_levels_y_first(const struct world* w, struct run* r) {
  static const int64_t stride[2] = {N, 1};
  (void)w;
  CHECK_OK(r->ds,
           esker_keep_levels(r->ds, ESKER_GRID, r->grid, r->lo, r->extent, r->levels_y_first, stride, 0));
}

static const add_rules kRules[] = {keep_boxes, keep_dilated_box, keep_range, keep_levels,
                                   keep_levels_y_first};
enum { NUM_RULES = sizeof kRules / sizeof kRules[0] };

static void expect_samples(const esker_stored_samples* found, int is_sparse, int64_t stored, int bits) {
  CHECK(is_sparse == 1 && found->primary == PRIMARY && found->secondary == stored - PRIMARY);
  CHECK(found->padding == 0 && found->blocks == stored >> bits);
}

static void expect_report(struct run* r, int64_t stored, int bits) {
  const int64_t sample_bytes = 2 * (int64_t)sizeof(float); /* of both fields */
  esker_kept_report report;
  esker_stored_samples samples;
  int is_sparse = -1;
  CHECK_OK(r->ds, esker_inq_last_kept(r->ds, &report));
  CHECK(report.primary_bytes == PRIMARY * sample_bytes && report.padding_bytes == 0);
  CHECK(report.secondary_bytes == (stored - PRIMARY) * sample_bytes && report.raised_from == 0);
  CHECK(report.write_imbalance >= 1 && report.put_imbalance >= 1);
  CHECK_OK(r->ds, esker_inq_last_kept_field(r->ds, r->f, &is_sparse, &samples));
  expect_samples(&samples, is_sparse, stored, bits);
}

static void write_rules(const struct world* w, const char* name, const char* bits_per_block, int64_t stored) {
  struct run r;
  int rule;
  start(w, &r, name, bits_per_block);
  for (rule = 0; rule < NUM_RULES; ++rule) {
    put(&r, rule);
    CHECK_OK(r.ds, esker_keep_level(r.ds, ESKER_GRID, r.grid, -2));
    kRules[rule](w, &r);
    CHECK_OK(r.ds, esker_end_step(r.ds));
    expect_report(&r, stored, atoi(bits_per_block));
  }
  finish(&r);
}

/* Blocks of 2^bits samples. The map is exact for the smallest blocks; larger ones hold more. */
static void expect_levels(esker_dataset* ds, int64_t step, int bits) {
  static const int64_t lo[2] = {3, 2}, extent[2] = {4, 5};
  int8_t levels[N * N], part[4 * 5];
  int64_t i;
  CHECK_OK(ds, esker_get_levels(ds, 0, step, NULL, NULL, ESKER_FULL_LEVEL, levels, N * N));
  for (i = 0; i < N * N; ++i) {
    const int wanted = in_quadrant(i % N, i / N) ? MAX_LEVEL : 4;
    CHECK(bits == 2 ? levels[i] == wanted : levels[i] >= wanted && levels[i] <= MAX_LEVEL);
  }
  CHECK_OK(ds, esker_get_levels(ds, 0, step, lo, extent, ESKER_FULL_LEVEL, part, 4 * 5));
  for (i = 0; i < 4 * 5; ++i) CHECK(part[i] == levels[(2 + i / 4) * N + 3 + i % 4]);
  CHECK_OK(ds, esker_get_levels(ds, 0, step, NULL, NULL, 4, part, 4 * 4));
  for (i = 0; i < 4 * 4; ++i) CHECK(part[i] == levels[2 * (i / 4) * N + 2 * (i % 4)]);
}

/* The value at (x, y) with the smallest blocks, none of whose samples is secondary. */
static float expected(esker_missing missing, int64_t x, int64_t y) {
  const int is_stored = in_quadrant(x, y) || (x % 2 == 0 && y % 2 == 0);
  if (is_stored || missing == ESKER_MISSING_LINEAR) return linear(x, y);
  return missing == ESKER_MISSING_FILL ? kFill : linear(x - x % 2, y - y % 2);
}

static void expect_values(esker_dataset* ds, int64_t step, esker_missing missing) {
  float samples[N * N];
  int64_t i;
  CHECK_OK(ds, esker_set_missing(ds, 0, missing));
  CHECK_OK(ds, esker_get(ds, 0, step, NULL, NULL, ESKER_FULL_LEVEL, samples, sizeof samples));
  for (i = 0; i < N * N; ++i) {
    if (missing == ESKER_MISSING_NAN && expected(ESKER_MISSING_FILL, i % N, i / N) == kFill) {
      CHECK(isnan(samples[i]));
    } else {
      CHECK(samples[i] == expected(missing, i % N, i / N));
    }
  }
}

static void read_rules(const struct world* w, const char* name, int bits, int64_t stored) {
  esker_dataset* ds = NULL;
  esker_stored_samples samples;
  esker_missing missing;
  int64_t step;
  int is_sparse = -1;
  CHECK_OK(ds, esker_open(path_of(w, name), ESKER_OPEN_VERIFY, &ds));
  for (step = 0; step < NUM_RULES; ++step) {
    CHECK_OK(ds, esker_inq_stored_samples(ds, 0, step, &is_sparse, &samples));
    expect_samples(&samples, is_sparse, stored, bits);
    expect_levels(ds, step, bits);
    for (missing = ESKER_MISSING_AUTO; bits == 2 && missing <= ESKER_MISSING_NAN; ++missing) {
      expect_values(ds, step, missing);
    }
  }
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

/* Another box, and another way to fill missing samples, on each rank. */
static void read_together(const struct world* w, const char* name) {
  static const int64_t extent[2] = {4, 4}, stride[2] = {(int64_t)sizeof(float), 4 * (int64_t)sizeof(float)};
  const int64_t lo[2] = {w->rank % 5, w->rank % 3};
  const esker_missing missing = w->rank % ESKER_MISSING_NAN;
  esker_dataset* ds = NULL;
  float samples[N * N], part[4 * 4];
  int64_t i;
  CHECK_OK(ds, esker_open_parallel(path_of(w, name), w->comm, NULL, 0, &ds));
  CHECK_OK(ds, esker_set_missing(ds, 0, missing));
  CHECK_OK(ds, esker_request(ds, 0, 0, NULL, NULL, ESKER_FULL_LEVEL, samples, sizeof samples));
  CHECK_OK(ds, esker_request_strided(ds, 0, ESKER_FLOAT32, 0, lo, extent, part, stride, 0));
  CHECK_OK(ds, esker_read(ds));
  for (i = 0; i < N * N; ++i) CHECK(samples[i] == expected(missing, i % N, i / N));
  for (i = 0; i < 4 * 4; ++i) CHECK(part[i] == expected(missing, lo[0] + i % 4, lo[1] + i / 4));
  expect_values(ds, 0, ESKER_MISSING_NAN);
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

/* Rules of one field, NaN inside of a range, levels below block 0, no rules. */
static void write_fields(const struct world* w) {
  esker_kept_report report;
  esker_stored_samples samples;
  int is_sparse = -1;
  struct run r;
  start(w, &r, "kept_fields.idx", "2");
  put(&r, 0);
  CHECK_OK(r.ds, esker_keep_level(r.ds, ESKER_FIELD, r.f, -6));
  CHECK_OK(r.ds, esker_keep_range(r.ds, ESKER_FIELD, r.f, r.mark, 1, 1, -2, 0, 0));
  CHECK_OK(r.ds, esker_end_step(r.ds));
  CHECK_OK(r.ds, esker_inq_last_kept(r.ds, &report));
  CHECK(report.raised_from == -6);
  CHECK_OK(r.ds, esker_inq_last_kept_field(r.ds, r.f, &is_sparse, &samples));
  /* Block 0 with its 4 samples, (6, 6), of level 4, and the NaN at (1, 1), of the finest one. */
  CHECK(is_sparse == 1 && samples.primary == 6);
  CHECK_OK(r.ds, esker_inq_last_kept_field(r.ds, r.mark, &is_sparse, &samples));
  CHECK(is_sparse == 0 && samples.primary == 0 && samples.blocks == 0);
  put(&r, 1);
  CHECK_OK(r.ds, esker_end_step(r.ds));
  CHECK_OK(r.ds, esker_inq_last_kept(r.ds, &report));
  CHECK(report.primary_bytes == 0 && report.raised_from == 0 && report.put_imbalance == 0);
  CHECK_OK(r.ds, esker_inq_last_kept_field(r.ds, r.f, &is_sparse, NULL));
  CHECK(is_sparse == 0);
  finish(&r);
}

static void read_fields(const struct world* w) {
  esker_stored_samples samples;
  int8_t levels[N * N];
  int64_t i;
  int is_sparse = -1;
  esker_dataset* ds = NULL;
  CHECK_OK(ds, esker_open(path_of(w, "kept_fields.idx"), 0, &ds));
  CHECK_OK(ds, esker_inq_stored_samples(ds, 0, 0, &is_sparse, &samples));
  CHECK(is_sparse == 1 && samples.primary == 6);
  CHECK_OK(ds, esker_inq_stored_samples(ds, 1, 0, &is_sparse, &samples));
  CHECK(is_sparse == 0 && samples.primary == 0 && samples.blocks == 0);
  CHECK_OK(ds, esker_inq_stored_samples(ds, 0, ESKER_LAST_STEP, &is_sparse, NULL));
  CHECK(is_sparse == 0);
  CHECK_OK(ds, esker_get_levels(ds, 0, ESKER_LAST_STEP, NULL, NULL, ESKER_FULL_LEVEL, levels, N * N));
  for (i = 0; i < N * N; ++i) CHECK(levels[i] == MAX_LEVEL);
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

/* Each fails at once, and the step fails with the same error on all ranks. */
static void expect_wrong_rules(const struct world* w) {
  static const int64_t lo[2] = {0, 0}, extent[2] = {N, N}, negative[2] = {N, -1};
  struct run r;
  start(w, &r, "wrong_rules.idx", "2");
#define FAILS_WITH(call, code, word)   \
  put(&r, 0);                          \
  CHECK_FAILS(r.ds, call, code, word); \
  CHECK_FAILS(r.ds, esker_end_step(r.ds), code, word)
  CHECK_FAILS(r.ds, esker_keep_level(r.ds, ESKER_GRID, r.grid, 0), ESKER_WRONG_ORDER, "no step");
  CHECK_FAILS(r.ds, esker_end_step(r.ds), ESKER_WRONG_ORDER, "no step");
  FAILS_WITH(esker_keep_level(r.ds, ESKER_GRID, r.grid, 1), ESKER_OUT_OF_RANGE, "level 1");
  FAILS_WITH(esker_keep_level(r.ds, ESKER_GRID, r.grid, INT_MIN), ESKER_OUT_OF_RANGE, "level -2147483648");
  FAILS_WITH(esker_keep_level(r.ds, ESKER_GRID, r.grid, -63), ESKER_OUT_OF_RANGE, "level -63");
  FAILS_WITH(esker_keep_level(r.ds, ESKER_GRID, 1, -1), ESKER_OUT_OF_RANGE, "no grid has the number 1");
  FAILS_WITH(esker_keep_level(r.ds, ESKER_FIELD, 2, -1), ESKER_OUT_OF_RANGE, "no field has the number 2");
  FAILS_WITH(esker_keep_level(r.ds, ESKER_FIELD, -1, -1), ESKER_OUT_OF_RANGE, "number -1");
  FAILS_WITH(esker_keep_level(r.ds, ESKER_DIM, 0, -1), ESKER_INVALID_ARGUMENT,
             "object 3, expected ESKER_GRID or ESKER_FIELD");
  FAILS_WITH(esker_keep_boxes(r.ds, ESKER_GRID, r.grid, 1, lo, extent, 2, 0), ESKER_OUT_OF_RANGE, "level 2");
  FAILS_WITH(esker_keep_boxes(r.ds, ESKER_GRID, r.grid, 1, lo, extent, 0, -1), ESKER_OUT_OF_RANGE,
             "dilate -1");
  FAILS_WITH(esker_keep_boxes(r.ds, ESKER_GRID, r.grid, 1, lo, negative, 0, 0), ESKER_INVALID_ARGUMENT,
             "box 0: extent -1");
  FAILS_WITH(esker_keep_boxes(r.ds, ESKER_GRID, r.grid, -1, lo, extent, 0, 0), ESKER_INVALID_ARGUMENT,
             "-1 boxes");
  FAILS_WITH(esker_keep_boxes(r.ds, ESKER_GRID, r.grid, 1, NULL, extent, 0, 0), ESKER_INVALID_ARGUMENT,
             "lo is NULL");
  FAILS_WITH(esker_keep_boxes(r.ds, ESKER_GRID, r.grid, 1, lo, NULL, 0, 0), ESKER_INVALID_ARGUMENT,
             "extent is NULL");
  FAILS_WITH(esker_keep_range(r.ds, ESKER_GRID, r.grid, r.mark, 2, 1, 0, 0, 0), ESKER_INVALID_ARGUMENT,
             "low <= high");
  FAILS_WITH(esker_keep_range(r.ds, ESKER_GRID, r.grid, 7, 1, 2, 0, 0, 0), ESKER_OUT_OF_RANGE, "number 7");
  FAILS_WITH(esker_keep_levels(r.ds, ESKER_GRID, r.grid, NULL, r.extent, r.levels, NULL, 0),
             ESKER_INVALID_ARGUMENT, "lo is NULL");
  FAILS_WITH(esker_keep_levels(r.ds, ESKER_GRID, r.grid, r.lo, NULL, r.levels, NULL, 0),
             ESKER_INVALID_ARGUMENT, "extent is NULL");
  FAILS_WITH(esker_keep_levels(r.ds, ESKER_GRID, r.grid, r.lo, r.extent, NULL, NULL, 0),
             ESKER_INVALID_ARGUMENT, "pointer is NULL");
  FAILS_WITH(esker_keep_levels(r.ds, ESKER_GRID, r.grid, extent, extent, r.levels, NULL, 0),
             ESKER_OUT_OF_RANGE, "exceeds the grid");
#undef FAILS_WITH
  put(&r, 0); /* known only when the step ends */
  CHECK_OK(r.ds, esker_keep_level(r.ds, ESKER_GRID, r.grid, -7));
  CHECK_FAILS(r.ds, esker_end_step(r.ds), ESKER_OUT_OF_RANGE, "level -7, expected -6 to 0");
  put(&r, 0);
  r.levels[0] = 1;
  CHECK_OK(r.ds, esker_keep_levels(r.ds, ESKER_GRID, r.grid, r.lo, r.extent, r.levels, NULL, 0));
  CHECK_FAILS(r.ds, esker_end_step(r.ds), ESKER_OUT_OF_RANGE, "a sample has level 1");
  put(&r, 0); /* the dataset is still intact */
  CHECK_OK(r.ds, esker_keep_level(r.ds, ESKER_GRID, r.grid, -2));
  CHECK_OK(r.ds, esker_end_step(r.ds));
  finish(&r);
}

static void expect_wrong_reads(const struct world* w) {
  esker_dataset* ds = NULL;
  esker_kept_report report;
  int8_t levels[N * N];
  int is_sparse = -1;
  CHECK_OK(ds, esker_open(path_of(w, "wrong_rules.idx"), 0, &ds));
  CHECK_FAILS(ds, esker_keep_level(ds, ESKER_GRID, 0, -1), ESKER_WRONG_ORDER, "reading only");
  CHECK_FAILS(ds, esker_inq_last_kept(ds, &report), ESKER_WRONG_ORDER, "reading only");
  CHECK_FAILS(ds, esker_inq_stored_samples(ds, 0, 1, &is_sparse, NULL), ESKER_OUT_OF_RANGE, "step 1");
  CHECK_FAILS(ds, esker_inq_stored_samples(ds, 2, 0, &is_sparse, NULL), ESKER_OUT_OF_RANGE, "number 2");
  CHECK_FAILS(ds, esker_inq_stored_samples(ds, 0, 0, NULL, NULL), ESKER_INVALID_ARGUMENT,
              "is_sparse is NULL");
  CHECK_FAILS(ds, esker_get_levels(ds, 0, 0, NULL, NULL, ESKER_FULL_LEVEL, levels, 63),
              ESKER_INVALID_ARGUMENT, "room for 64 levels, found 63");
  CHECK_FAILS(ds, esker_get_levels(ds, 0, 0, NULL, NULL, ESKER_FULL_LEVEL, levels, -1),
              ESKER_INVALID_ARGUMENT, "-1 levels");
  CHECK_FAILS(ds, esker_get_levels(ds, 0, 0, NULL, NULL, ESKER_FULL_LEVEL, NULL, N * N),
              ESKER_INVALID_ARGUMENT, "a NULL array");
  CHECK_FAILS(ds, esker_get_levels(ds, 0, 0, NULL, NULL, 7, levels, N * N), ESKER_OUT_OF_RANGE, "7");
  CHECK_FAILS(ds, esker_get_levels(ds, 5, 0, NULL, NULL, 4, levels, 16), ESKER_OUT_OF_RANGE, "number 5");
  CHECK_FAILS(ds, esker_set_missing(ds, 2, ESKER_MISSING_FILL), ESKER_OUT_OF_RANGE, "number 2");
  CHECK_FAILS(ds, esker_set_missing(ds, 0, 5), ESKER_INVALID_ARGUMENT, "value 5");
  CHECK_FAILS(ds, esker_set_missing(ds, 0, -1), ESKER_INVALID_ARGUMENT, "value -1");
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

/* A grid that the rule's field is not on, a field of integers, a format that stores fields completely. */
static void expect_other_fields(const struct world* w) {
  esker_dataset* ds = create(w, "other_fields.idx");
  const int8_t byte = 1;
  const int64_t lo = 0, extent = w->rank == 0;
  int x, grids[2], fields[2], g;
  CHECK_OK(ds, esker_def_dim(ds, "x", 1, &x));
  for (g = 0; g < 2; ++g) {
    CHECK_OK(ds, esker_def_grid(ds, g == 0 ? "a" : "b", 1, &x, &grids[g]));
    CHECK_OK(ds, esker_def_field(ds, grids[g], g == 0 ? "of_a" : "of_b", ESKER_INT8, 1, 1, &fields[g]));
  }
  CHECK_OK(ds, esker_begin_step(ds, 0));
  CHECK_FAILS(ds, esker_keep_range(ds, ESKER_GRID, grids[0], fields[1], 0, 1, 0, 0, 0),
              ESKER_INVALID_ARGUMENT, "'of_b', which is on grid 'b', not on 'a'");
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_INVALID_ARGUMENT, "not on 'a'");
  CHECK_OK(ds, esker_begin_step(ds, 0));
  for (g = 0; g < 2; ++g) CHECK_OK(ds, esker_put(ds, fields[g], ESKER_INT8, &lo, &extent, &byte));
  CHECK_OK(ds, esker_end_step(ds));
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  CHECK_OK(ds, esker_open(path_of(w, "other_fields.idx"), 0, &ds));
  CHECK_FAILS(ds, esker_set_missing(ds, fields[0], ESKER_MISSING_NAN), ESKER_INVALID_ARGUMENT,
              "int8, which has no NaN");
  esker_free(ds);
}

static void expect_other_format(const struct world* w) {
  struct run r;
  start(w, &r, "dense.nc", "2");
  put(&r, 0);
  CHECK_OK(r.ds, esker_keep_level(r.ds, ESKER_GRID, r.grid, -2));
  CHECK_FAILS(r.ds, esker_end_step(r.ds), ESKER_UNSUPPORTED, "stores fields completely");
  finish(&r);
}

void test_keep(const struct world* w) {
  write_rules(w, "kept_4.idx", "4", 48);
  read_rules(w, "kept_4.idx", 4, 48);
  write_rules(w, "kept_3.idx", "3", 32);
  read_rules(w, "kept_3.idx", 3, 32);
  write_rules(w, "kept_2.idx", "2", PRIMARY);
  read_rules(w, "kept_2.idx", 2, PRIMARY);
  read_together(w, "kept_2.idx");
  write_fields(w);
  read_fields(w);
  expect_wrong_rules(w);
  expect_wrong_reads(w);
  expect_other_fields(w);
  expect_other_format(w);
}
