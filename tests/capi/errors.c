/* Every error is a status and a message; the dataset can be used afterwards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

/* A text file, written by rank 0 before any rank returns. */
static void make_file(const struct world* w, const char* name, const char* text) {
  if (w->rank == 0) {
    FILE* file = fopen(path_of(w, name), "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
  }
}

/* Opening fails: the handle keeps the message, and every call returns the same error. */
static void expect_failed(esker_dataset* ds, esker_status status, esker_status expected, const char* word) {
  int n = -1;
  CHECK(ds != NULL);
  CHECK_FAILS(ds, status, expected, word);
  CHECK_FAILS(ds, esker_def_dim(ds, "x", 3, &n), expected, word);
  CHECK_FAILS(ds, esker_inq_num_fields(ds, &n), expected, word);
  CHECK_FAILS(ds, esker_end_step(ds), expected, word);
  CHECK_FAILS(ds, esker_close(ds), expected, word);
  CHECK(n == -1);
  esker_free(ds);
}

static void test_opening(const struct world* w) {
  static const char* kNewer =
      "(version)\n8\n(box)\n0 3 0 3\n(fields)\nthk float32\n(bits)\nV0101\n(bitsperblock)\n2\n"
      "(blocksperfile)\n4\n(filename_template)\n./newer/%02x.bin\n";
  esker_dataset* ds = NULL;
  esker_status status;
  make_file(w, "a_file", "not a directory");
  make_file(w, "garbage.idx", "not an idx");
  make_file(w, "newer.idx", kNewer);
  status = esker_create(path_of(w, "a.idx"), w->comm, NULL, &ds);
  expect_failed(ds, status, ESKER_ALREADY_EXISTS, "a.idx"); /* and all ranks see the files above */
  status = esker_open(path_of(w, "none.idx"), 0, &ds);
  expect_failed(ds, status, ESKER_NOT_FOUND, "none.idx");
  status = esker_open(path_of(w, "garbage.idx"), 0, &ds);
  expect_failed(ds, status, ESKER_DATA_LOSS, "garbage.idx");
  status = esker_open(path_of(w, "newer.idx"), 0, &ds);
  expect_failed(ds, status, ESKER_UNSUPPORTED, "expected 1 to 7, found '8'");
  status = esker_open(path_of(w, "a.idx"), 6, &ds);
  expect_failed(ds, status, ESKER_INVALID_ARGUMENT, "0x6");
  status = esker_open(NULL, 0, &ds);
  expect_failed(ds, status, ESKER_INVALID_ARGUMENT, "path is NULL");
  status = esker_append(path_of(w, "none.idx"), w->comm, NULL, &ds);
  expect_failed(ds, status, ESKER_NOT_FOUND, "none");
  status = esker_create(NULL, w->comm, NULL, &ds);
  expect_failed(ds, status, ESKER_INVALID_ARGUMENT, "path is NULL");
}

static void test_definitions(const struct world* w) {
  esker_dataset* ds = create(w, "definitions.idx");
  int x, grid, field, n = -1, twice[2];
  char text[64];
  const int64_t value = 1;
  const char* const latin_1 = "\xff";
  CHECK_OK(ds, esker_def_dim(ds, "x", 13, &x));
  CHECK_FAILS(ds, esker_def_dim(ds, "x", 13, &n), ESKER_ALREADY_EXISTS, "'x'");
  CHECK_FAILS(ds, esker_def_dim(ds, "y", 0, &n), ESKER_INVALID_ARGUMENT, "size 0");
  CHECK_FAILS(ds, esker_def_dim(ds, "a/b", 3, &n), ESKER_INVALID_ARGUMENT, "a/b");
  twice[0] = twice[1] = x;
  CHECK_FAILS(ds, esker_def_grid(ds, "g", 2, twice, &n), ESKER_INVALID_ARGUMENT, "twice");
  CHECK_FAILS(ds, esker_def_grid(ds, "g", 6, twice, &n), ESKER_INVALID_ARGUMENT,
              "6 dimensions, expected 0 to 5");
  CHECK_FAILS(ds, esker_def_grid(ds, "g", -1, twice, &n), ESKER_INVALID_ARGUMENT, "-1 dimensions");
  CHECK_FAILS(ds, esker_def_grid(ds, "g", 1000000, twice, &n), ESKER_INVALID_ARGUMENT, "1000000 dimensions");
  CHECK_OK(ds, esker_def_grid(ds, "g", 1, &x, &grid));
  CHECK_FAILS(ds, esker_def_field(ds, 5, "f", ESKER_INT8, 1, 1, &n), ESKER_INVALID_ARGUMENT, "grid 5");
  CHECK_FAILS(ds, esker_def_field(ds, grid, "f", 10, 1, 1, &n), ESKER_INVALID_ARGUMENT, "type 10");
  CHECK_FAILS(ds, esker_def_field(ds, grid, "f", ESKER_INT8, 0, 1, &n), ESKER_INVALID_ARGUMENT,
              "0 components");
  CHECK_FAILS(ds, esker_def_field(ds, grid, "f", ESKER_INT8, 1, -2, &n), ESKER_INVALID_ARGUMENT, "-2 steps");
  CHECK_OK(ds, esker_def_field(ds, grid, "f", ESKER_INT8, 1, 1, &field));
  CHECK_FAILS(ds, esker_def_coords(ds, grid, 3, NULL, 0), ESKER_INVALID_ARGUMENT, "values is NULL");
  CHECK_FAILS(ds, esker_put_att_text(ds, ESKER_FIELD, 1, "units", "m"), ESKER_INVALID_ARGUMENT, "field 1");
  CHECK_FAILS(ds, esker_put_att_text(ds, ESKER_FIELD, 0, "units", "\xff"), ESKER_INVALID_ARGUMENT, "UTF-8");
  CHECK_FAILS(ds, esker_put_att_texts(ds, ESKER_GRID, grid, "names", &latin_1, 1), ESKER_INVALID_ARGUMENT,
              "UTF-8");
  CHECK_FAILS(ds, esker_put_att_texts(ds, ESKER_GRID, grid, "names", &latin_1, 0), ESKER_INVALID_ARGUMENT,
              "count 0");
  CHECK_FAILS(ds, esker_put_att_texts(ds, ESKER_GRID, grid, "names", &latin_1, -1), ESKER_INVALID_ARGUMENT,
              "-1");
  CHECK_FAILS(ds, esker_put_att_text(ds, 6, 0, "units", "m"), ESKER_INVALID_ARGUMENT, "object 6");
  CHECK_FAILS(ds, esker_put_att_text(ds, -1, 0, "units", "m"), ESKER_INVALID_ARGUMENT,
              "ESKER_TIME or ESKER_SCALAR");
  CHECK_FAILS(ds, esker_put_att_text(ds, ESKER_DIM, 9, "units", "m"), ESKER_INVALID_ARGUMENT, "dimension 9");
  CHECK_FAILS(ds, esker_put_att_text(ds, ESKER_TIME, 1, "units", "m"), ESKER_INVALID_ARGUMENT,
              "number 1 given for the time");
  CHECK_FAILS(ds, esker_put_att_int64(ds, ESKER_GRID, grid, "n", &value, 0), ESKER_INVALID_ARGUMENT, "'n'");
  CHECK_FAILS(ds, esker_put_att_int64(ds, ESKER_GRID, grid, "n", &value, -1), ESKER_INVALID_ARGUMENT, "-1");
  CHECK(n == -1);
  CHECK_FAILS(ds, esker_inq_dim_id(ds, "q", &n), ESKER_NOT_FOUND, "available: x");
  CHECK_FAILS(ds, esker_inq_field_id(ds, "q", &n), ESKER_NOT_FOUND, "available: f");
  CHECK_FAILS(ds, esker_inq_grid_id(ds, "q", &n), ESKER_NOT_FOUND, "available: g");
  /* The collective call returns the first of these errors again: a program may check only that call. */
  snprintf(text, sizeof text, "%sdimension 'x' already exists", w->size > 1 ? "rank 0: " : "");
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_ALREADY_EXISTS, text);
  CHECK(w->size > 1 || strncmp(esker_message(ds), "rank ", 5) != 0);
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

static void test_puts(const struct world* w) {
  static const float samples[13 * 7] = {0};
  static const int64_t huge = INT64_MAX;
  const int64_t lo[2] = {0, 0}, extent[2] = {13, 7}, far[2] = {10, 5};
  const int64_t negative[2] = {13, -1}, much[2] = {huge, 7}, strides[2] = {4, 52};
  int field = -1;
  esker_dataset* ds = create_map(w, "puts.idx", &field);
  const int64_t start[2] = {1, 1};
  const int64_t overlapping[2] = {4, 48}, missing[2] = {4, 0};
  static double wide[13 * 7] = {0};
  wide[13 * 7 - 1] = 1e300;
#define FAILS_WITH(call, code, word)     \
  CHECK_OK(ds, esker_begin_step(ds, 1)); \
  CHECK_FAILS(ds, call, code, word);     \
  CHECK_FAILS(ds, esker_end_step(ds), code, word)
  FAILS_WITH(esker_put(ds, field, ESKER_FLOAT64, lo, extent, samples), ESKER_INVALID_ARGUMENT, "float64");
  FAILS_WITH(esker_put(ds, field, 77, lo, extent, samples), ESKER_INVALID_ARGUMENT, "'thk': type 77");
  FAILS_WITH(esker_put(ds, 5, ESKER_FLOAT32, lo, extent, samples), ESKER_OUT_OF_RANGE, "number 5");
  FAILS_WITH(esker_put(ds, -1, ESKER_FLOAT32, lo, extent, samples), ESKER_OUT_OF_RANGE, "number -1");
  FAILS_WITH(esker_put(ds, field, ESKER_FLOAT32, far, extent, samples), ESKER_OUT_OF_RANGE,
             "exceeds the grid");
  FAILS_WITH(esker_put(ds, field, ESKER_FLOAT32, lo, negative, samples), ESKER_INVALID_ARGUMENT, "extent -1");
  FAILS_WITH(esker_put(ds, field, ESKER_FLOAT32, start, much, samples), ESKER_OUT_OF_RANGE, "64 bits");
  FAILS_WITH(esker_put(ds, field, ESKER_FLOAT32, lo, much, samples), ESKER_OUT_OF_RANGE, "exceeds the grid");
  FAILS_WITH(esker_put(ds, field, ESKER_FLOAT32, lo, extent, NULL), ESKER_INVALID_ARGUMENT, "no data");
  FAILS_WITH(esker_put(ds, field, ESKER_FLOAT32, NULL, extent, samples), ESKER_INVALID_ARGUMENT,
             "lo is NULL");
  FAILS_WITH(esker_put(ds, field, ESKER_FLOAT32, lo, NULL, samples), ESKER_INVALID_ARGUMENT,
             "extent is NULL");
  FAILS_WITH(esker_put_strided(ds, field, ESKER_FLOAT32, lo, extent, samples, NULL, 0),
             ESKER_INVALID_ARGUMENT, "stride_bytes is NULL");
  FAILS_WITH(esker_put_strided(ds, field, ESKER_FLOAT32, far, extent, samples, strides, 0),
             ESKER_OUT_OF_RANGE, "exceeds the grid");
  FAILS_WITH(esker_put_strided(ds, field, ESKER_FLOAT32, lo, extent, samples, overlapping, 0),
             ESKER_INVALID_ARGUMENT, "share memory");
  FAILS_WITH(esker_put_strided(ds, field, ESKER_FLOAT32, lo, extent, samples, missing, 0),
             ESKER_INVALID_ARGUMENT, "one stride per axis");
  FAILS_WITH(esker_put_buffered(ds, field, ESKER_FLOAT64, far, extent, samples, NULL, 0), ESKER_OUT_OF_RANGE,
             "exceeds the grid");
  FAILS_WITH(esker_put_buffered(ds, field, ESKER_FLOAT64, lo, extent, wide, NULL, 0), ESKER_OUT_OF_RANGE,
             "sample (12, 6) is 1e+300, which float32 cannot hold");
#undef FAILS_WITH
  CHECK_OK(ds, esker_begin_step(ds, 1));
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_INVALID_ARGUMENT, "no rank put");
  CHECK_OK(ds, write_map(w, ds, field, 1, 1)); /* the dataset is still intact */
  CHECK_FAILS(ds, esker_begin_step(ds, 1), ESKER_INVALID_ARGUMENT, "does not follow");
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_INVALID_ARGUMENT, "does not follow");
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

/* The plan detects a budget that is too small, on all ranks. */
static void test_memory_budget(const struct world* w) {
  esker_options* options = small_options();
  esker_dataset* ds = NULL;
  int x, grid, field;
  const int64_t lo = 0, extent = w->rank == 0 ? 13 : 0;
  static const double samples[13] = {0};
  CHECK(esker_options_set(options, "memory_budget", "1") == ESKER_OK);
  CHECK_OK(ds, esker_create(path_of(w, "budget.idx"), w->comm, options, &ds));
  CHECK_OK(ds, esker_def_dim(ds, "x", 13, &x));
  CHECK_OK(ds, esker_def_grid(ds, "g", 1, &x, &grid));
  CHECK_OK(ds, esker_def_field(ds, grid, "f", ESKER_FLOAT64, 1, 1, &field));
  CHECK_OK(ds, esker_begin_step(ds, 0));
  CHECK_OK(ds, esker_put(ds, field, ESKER_FLOAT64, &lo, &extent, samples));
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_OUT_OF_MEMORY, "memory_budget");
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  esker_options_free(options);
}

static void test_files_in_the_way(const struct world* w) {
  static const float value = 1;
  const int64_t lo = 0, extent = w->rank == 0;
  int x, grid, field;
  esker_dataset* ds = NULL;
  esker_status status = esker_create(path_of(w, "a_file/below.idx"), w->comm, NULL, &ds);
  if (status == ESKER_OK) { /* some formats see the file only when the first step is written */
    esker_def_dim(ds, "x", 1, &x);
    esker_def_grid(ds, "g", 1, &x, &grid);
    esker_def_field(ds, grid, "f", ESKER_FLOAT32, 1, 1, &field);
    esker_begin_step(ds, 0);
    esker_put(ds, field, ESKER_FLOAT32, &lo, &extent, &value);
    status = esker_end_step(ds);
  }
  CHECK_FAILS(ds, status, ESKER_IO_ERROR, "a_file");
  esker_free(ds);
}

void test_errors(const struct world* w) {
  test_opening(w);
  test_definitions(w);
  test_puts(w);
  test_memory_budget(w);
  test_files_in_the_way(w);
}

/* Only the last rank makes an error: all ranks get the same status, and none waits. */
void test_one_rank_fails(const struct world* w) {
  const int last = w->size - 1, mine = w->rank == last;
  const int64_t extent[2] = {13, 7};
  char rank[32] = "";
  int field = -1;
  esker_dataset* ds = NULL;
  esker_status status;
  /* An error of one rank names none. */
  if (w->size > 1) snprintf(rank, sizeof rank, "rank %d: ", last);
  status = esker_create(mine ? NULL : path_of(w, "one.idx"), w->comm, NULL, &ds);
  CHECK_FAILS(ds, status, ESKER_INVALID_ARGUMENT, rank);
  CHECK_FAILS(ds, status, ESKER_INVALID_ARGUMENT, "path is NULL");
  esker_free(ds);
  status = esker_append(path_of(w, "a.idx"), w->comm, NULL, mine ? NULL : &ds);
  CHECK(status == ESKER_INVALID_ARGUMENT);
  if (!mine) {
    CHECK_FAILS(ds, status, ESKER_INVALID_ARGUMENT, "out is NULL");
    esker_free(ds);
  }

  ds = create_map(w, "one.idx", &field);
  CHECK_OK(ds, write_map(w, ds, field, 0, 1));
  esker_begin_step(ds, 1);
  if (mine) esker_put(ds, field, ESKER_FLOAT32, NULL, extent, NULL);
  status = esker_end_step(ds);
  CHECK_FAILS(ds, status, ESKER_INVALID_ARGUMENT, rank);
  CHECK_FAILS(ds, status, ESKER_INVALID_ARGUMENT, "lo is NULL");
  esker_begin_step(ds, 1);
  if (mine) CHECK_OK(ds, esker_fail(ds, ESKER_DATA_LOSS, "the model has NaNs"));
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_DATA_LOSS, "the model has NaNs");
  if (mine) CHECK_OK(ds, esker_fail(ds, ESKER_NOT_FOUND, "no checkpoint"));
  CHECK_FAILS(ds, esker_rewind(ds, 0.5), ESKER_NOT_FOUND, "no checkpoint");
  if (mine) CHECK_FAILS(ds, esker_fail(ds, ESKER_OK, "fine"), ESKER_INVALID_ARGUMENT, "not an error");
  CHECK_OK(ds, write_map(w, ds, field, 1, 2));
  if (w->size > 1) { /* different calls are detected; ranks that close wait for the others */
    if (mine) {
      CHECK_FAILS(ds, esker_rewind(ds, 0), ESKER_MISMATCHED_CALL, "close() on rank");
    }
    status = esker_close(ds);
    CHECK_FAILS(ds, status, ESKER_MISMATCHED_CALL, "close() on rank");
    CHECK_FAILS(ds, status, ESKER_MISMATCHED_CALL, "rewind(time 0) on rank");
  }
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  {
    static const double times[] = {0, 1};
    static const float values[] = {1, 2};
    expect_map(w, "one.idx", 2, times, values);
  }

  ds = create_map(w, "left.idx", &field); /* a rank that leaves does not block the others */
  CHECK_OK(ds, write_map(w, ds, field, 0, 1));
  if (!mine) CHECK_FAILS(ds, write_map(w, ds, field, 1, 2), ESKER_MISMATCHED_CALL, "gone home");
  status = esker_abandon(ds, mine ? ESKER_UNSUPPORTED : ESKER_OK, mine ? "gone home" : NULL);
  CHECK_FAILS(ds, status, ESKER_UNSUPPORTED, "gone home");
  esker_free(ds);
}

/* Calls that are not allowed now, or not with this kind of dataset. */
void test_order(const struct world* w) {
  const int64_t lo[2] = {0, 0}, extent[2] = {13, 7};
  static const float samples[13 * 7] = {0};
  int field = -1, n = -1;
  const char* text = NULL;
  esker_step_report last;
  esker_verify_report verified;
  esker_dataset* ds = create_map(w, "order.idx", &field);
  CHECK_FAILS(ds, esker_put(ds, field, ESKER_FLOAT32, lo, extent, samples), ESKER_WRONG_ORDER, "no step");
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_WRONG_ORDER, "no step");
  CHECK_OK(ds, esker_begin_step(ds, 0));
  CHECK_FAILS(ds, esker_begin_step(ds, 0), ESKER_WRONG_ORDER, "still open");
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_WRONG_ORDER, "still open");
  CHECK_OK(ds, write_map(w, ds, field, 0, 1));
  CHECK_FAILS(ds, esker_def_dim(ds, "z", 3, &n), ESKER_WRONG_ORDER, "before the first");
  CHECK_FAILS(ds, esker_put_att_text(ds, ESKER_FIELD, field, "units", "m"), ESKER_WRONG_ORDER, "before");
  CHECK_FAILS(ds, write_map(w, ds, field, 1, 1), ESKER_WRONG_ORDER, "definitions");
  CHECK_FAILS(ds, esker_get(ds, field, 0, NULL, NULL, 0, NULL, 0), ESKER_WRONG_ORDER, "for writing");
  CHECK_FAILS(ds, esker_inq_max_level(ds, field, &n), ESKER_WRONG_ORDER, "for writing");
  CHECK_FAILS(ds, esker_verify(ds, NULL, NULL, &verified), ESKER_WRONG_ORDER, "for writing");
  CHECK_OK(ds, esker_close(ds));
  CHECK_OK(ds, esker_close(ds)); /* closing twice does nothing */
  CHECK_FAILS(ds, esker_begin_step(ds, 1), ESKER_WRONG_ORDER, "closed");
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_WRONG_ORDER, "closed");
  CHECK_FAILS(ds, esker_rewind(ds, 1), ESKER_WRONG_ORDER, "closed");
  CHECK_FAILS(ds, esker_def_dim(ds, "q", 1, &n), ESKER_WRONG_ORDER, "closed");
  esker_free(ds);

  ds = NULL;
  CHECK_OK(ds, esker_open(path_of(w, "order.idx"), 0, &ds));
  CHECK_FAILS(ds, esker_def_dim(ds, "x", 13, &n), ESKER_WRONG_ORDER, "reading only");
  CHECK_FAILS(ds, esker_begin_step(ds, 1), ESKER_WRONG_ORDER, "reading only");
  CHECK_FAILS(ds, esker_put(ds, 0, ESKER_FLOAT32, lo, extent, samples), ESKER_WRONG_ORDER, "reading only");
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_WRONG_ORDER, "reading only");
  CHECK_FAILS(ds, esker_rewind(ds, 1), ESKER_WRONG_ORDER, "reading only");
  CHECK_FAILS(ds, esker_fail(ds, ESKER_INTERNAL, "x"), ESKER_WRONG_ORDER, "reading only");
  CHECK_FAILS(ds, esker_report_text(ds, &text), ESKER_WRONG_ORDER, "reading only");
  CHECK_FAILS(ds, esker_inq_last_step(ds, &last), ESKER_WRONG_ORDER, "reading only");
  CHECK_OK(ds, esker_close(ds));
  CHECK_OK(ds, esker_close(ds));
  CHECK_FAILS(ds, esker_inq_num_fields(ds, &n), ESKER_WRONG_ORDER, "closed");
  CHECK_FAILS(ds, esker_get(ds, 0, 0, NULL, NULL, 0, NULL, 0), ESKER_WRONG_ORDER, "closed");
  CHECK(n == -1);
  esker_free(ds);
}
