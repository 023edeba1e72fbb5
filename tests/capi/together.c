/* Parallel reading: dense and strided memory, levels, and errors that all ranks get. */
#include <stdlib.h>
#include <string.h>

#include "world.h"

enum { NX = 13, NY = 7, GHOST = 1 };

static float value_of(int64_t x, int64_t y) { return (float)(100 * y + x); }

/* Columns that another rank wrote. */
static void other_columns(const struct world* w, int64_t* lo, int64_t* extent) {
  struct world other = *w;
  other.rank = (w->rank + 1) % w->size;
  my_columns(&other, lo, extent);
}

static void write_values(const struct world* w, const char* name) {
  static float values[NX * NY];
  int64_t lo[2] = {0, 0}, extent[2] = {0, NY}, x, y;
  int field = -1;
  esker_dataset* ds = create_map(w, name, &field);
  my_columns(w, &lo[0], &extent[0]);
  for (y = 0; y < NY; ++y)
    for (x = 0; x < extent[0]; ++x) values[y * extent[0] + x] = value_of(lo[0] + x, y);
  CHECK_OK(ds, esker_begin_step(ds, 0));
  CHECK_OK(ds, esker_put(ds, field, ESKER_FLOAT32, lo, extent, values));
  CHECK_OK(ds, esker_end_step(ds));
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

/* y fastest, with ghost cells around. */
static void read_strided(const struct world* w, esker_dataset* ds, int field) {
  enum { ROW = NY + 2 * GHOST };
  static float memory[(NX + 2 * GHOST) * ROW];
  const int64_t stride[2] = {ROW * (int64_t)sizeof(float), (int64_t)sizeof(float)};
  int64_t lo[2] = {0, 0}, extent[2] = {0, NY}, x, y, i;
  other_columns(w, &lo[0], &extent[0]);
  for (i = 0; i < (NX + 2 * GHOST) * ROW; ++i) memory[i] = -1;
  CHECK_OK(ds, esker_request_strided(ds, field, ESKER_FLOAT32, ESKER_LAST_STEP, lo, extent,
                                     memory + GHOST * ROW + GHOST, stride, 0));
  CHECK_OK(ds, esker_read(ds));
  for (x = -GHOST; x < NX + GHOST; ++x)
    for (y = -GHOST; y < NY + GHOST; ++y) {
      const int inside = x >= 0 && x < extent[0] && y >= 0 && y < NY;
      const float expected = inside ? value_of(lo[0] + x, y) : -1;
      CHECK(memory[(x + GHOST) * ROW + y + GHOST] == expected);
    }
}

/* A coarse level of the whole grid, on every other rank. */
static void read_level(const struct world* w, esker_dataset* ds, int field) {
  float coarse[NX * NY];
  int64_t origin[2], stride[2], count[2], x, y;
  int level = -1;
  CHECK_OK(ds, esker_inq_max_level(ds, field, &level));
  CHECK_OK(ds, esker_inq_selection(ds, field, 0, NULL, NULL, level - 2, origin, stride, count));
  if (w->rank % 2 == 0) {
    CHECK_OK(ds, esker_request(ds, field, 0, NULL, NULL, level - 2, coarse,
                               count[0] * count[1] * (int64_t)sizeof(float)));
  }
  CHECK_OK(ds, esker_read(ds));
  for (y = 0; y < count[1] && w->rank % 2 == 0; ++y)
    for (x = 0; x < count[0]; ++x)
      CHECK(coarse[y * count[0] + x] == value_of(origin[0] + x * stride[0], origin[1] + y * stride[1]));
}

static void expect_errors(const struct world* w, esker_dataset* ds, int field) {
  const int last = w->rank == w->size - 1;
  float sample;
  const int64_t lo[2] = {NX, 0}, extent[2] = {1, 1}, stride[2] = {4, 4};
  if (last) {
    CHECK_FAILS(ds, esker_request_strided(ds, field, ESKER_FLOAT32, 0, lo, extent, &sample, stride, 0),
                ESKER_OUT_OF_RANGE, "thk");
  }
  CHECK_FAILS(ds, esker_read(ds), ESKER_OUT_OF_RANGE, "exceeds the grid");
  if (last) {
    CHECK_FAILS(ds, esker_request_strided(ds, field, ESKER_FLOAT64, 0, extent, extent, &sample, stride, 0),
                ESKER_INVALID_ARGUMENT, "float64");
  }
  CHECK_FAILS(ds, esker_read(ds), ESKER_INVALID_ARGUMENT, "float32");
  if (last) {
    CHECK_FAILS(ds, esker_request(ds, field, 0, NULL, NULL, 0, &sample, 3), ESKER_INVALID_ARGUMENT,
                "3 bytes");
  }
  CHECK_FAILS(ds, esker_read(ds), ESKER_INVALID_ARGUMENT, "3 bytes");
  if (last) {
    CHECK_FAILS(ds, esker_request(ds, 7, 0, NULL, NULL, 0, &sample, 4), ESKER_OUT_OF_RANGE, "number 7");
  }
  CHECK_FAILS(ds, esker_read(ds), ESKER_OUT_OF_RANGE, "number 7");
  if (last) CHECK_OK(ds, esker_fail(ds, ESKER_INTERNAL, "no restart for me"));
  CHECK_FAILS(ds, esker_read(ds), ESKER_INTERNAL, "no restart for me");
  CHECK_OK(ds, esker_read(ds));
}

/* What reads with tune=auto tried. */
static void expect_tuned(const struct world* w) {
  esker_dataset* ds = NULL;
  esker_options* options = NULL;
  const char* text = NULL;
  int field = -1;
  CHECK(esker_options_new(&options) == ESKER_OK);
  CHECK(esker_options_set(options, "tune", "auto") == ESKER_OK);
  CHECK_OK(ds, esker_open_parallel(path_of(w, "together.idx"), w->comm, options, 0, &ds));
  esker_options_free(options);
  CHECK_OK(ds, esker_inq_field_id(ds, "thk", &field));
  read_strided(w, ds, field);
  CHECK_OK(ds, esker_report_json(ds, &text));
  CHECK(text && strstr(text, "\"tuning\""));
  CHECK_OK(ds, esker_close(ds));
  CHECK_FAILS(ds, esker_report_json(ds, &text), ESKER_WRONG_ORDER, "closed");
  esker_free(ds);
}

void test_together(const struct world* w) {
  esker_dataset* ds = NULL;
  esker_read_report report;
  const char* text = NULL;
  int field = -1;
  write_values(w, "together.idx");
  CHECK_OK(ds, esker_open_parallel(path_of(w, "together.idx"), w->comm, NULL, ESKER_OPEN_VERIFY, &ds));
  CHECK_OK(ds, esker_inq_field_id(ds, "thk", &field));
  CHECK_OK(ds, esker_inq_last_read(ds, &report));
  CHECK(report.data_bytes == 0);
  read_strided(w, ds, field);
  CHECK_OK(ds, esker_inq_last_read(ds, &report));
  CHECK(report.data_bytes == NX * NY * (int64_t)sizeof(float) && report.readers >= 1);
  CHECK(report.least_loaded_bytes > 0 && report.least_loaded_bytes <= report.most_loaded_bytes &&
        report.most_loaded_bytes <= report.loaded_bytes);
  CHECK_OK(ds, esker_report_json(ds, &text));
  CHECK(text && strcmp(text, "{}") == 0); /* not tuned */
  read_level(w, ds, field);
  expect_errors(w, ds, field);
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_WRONG_ORDER, "reading only");
  CHECK_OK(ds, esker_close(ds));
  CHECK_FAILS(ds, esker_read(ds), ESKER_WRONG_ORDER, "closed");
  esker_free(ds);

  expect_tuned(w);
  CHECK_FAILS(ds, esker_open_parallel(path_of(w, "nothing.idx"), w->comm, NULL, 0, &ds), ESKER_NOT_FOUND,
              "nothing.idx");
  esker_free(ds);
  CHECK_FAILS(ds, esker_open_parallel(path_of(w, "together.idx"), w->comm, NULL, 64, &ds),
              ESKER_INVALID_ARGUMENT, "flags");
  esker_free(ds);
  CHECK_OK(ds, esker_open(path_of(w, "together.idx"), 0, &ds));
  CHECK_FAILS(ds, esker_read(ds), ESKER_WRONG_ORDER, "esker_open_parallel");
  esker_free(ds);
}
