/* Attributes, coordinates, times and scalars keep type and name; time series. */
#include <string.h>

#include "world.h"

enum { NX = 3 };

static void define(esker_dataset* ds, int* series) {
  static const int8_t flags[3] = {0, 1, 2};
  static const char* const names[3] = {"land", "", "floating ice"};
  static const uint64_t big[1] = {UINT64_C(18446744073709551615)};
  static const float scale[1] = {0.1f};
  static const int64_t ids[NX] = {1, 2, INT64_C(9007199254740993)};
  const int32_t zero = 0;
  int dim, grid, field, scalar;
  CHECK_OK(ds, esker_def_time(ds, "t", ESKER_INT32));
  CHECK_OK(ds, esker_def_dim(ds, "x", NX, &dim));
  CHECK_OK(ds, esker_def_grid(ds, "line", 1, &dim, &grid));
  CHECK_OK(ds, esker_def_coords_values(ds, grid, dim, ESKER_INT64, ids, NX));
  CHECK_OK(ds, esker_def_grid(ds, "series", 0, NULL, series));
  CHECK_OK(ds, esker_def_field(ds, *series, "dt", ESKER_FLOAT64, 1, ESKER_EVERY_STEP, &field));
  CHECK(field == 0);
  CHECK_OK(ds, esker_put_att_values(ds, ESKER_FIELD, field, "flag_values", ESKER_INT8, flags, 3));
  CHECK_OK(ds, esker_put_att_texts(ds, ESKER_FIELD, field, "flag_names", names, 3));
  CHECK_OK(ds, esker_put_att_values(ds, ESKER_FIELD, field, "big", ESKER_UINT64, big, 1));
  CHECK_OK(ds, esker_put_att_values(ds, ESKER_DIM, dim, "scale_factor", ESKER_FLOAT32, scale, 1));
  CHECK_OK(ds, esker_def_scalar(ds, "crs", ESKER_INT32, &zero, &scalar));
  CHECK_OK(ds, esker_put_att_text(ds, ESKER_SCALAR, scalar, "grid_mapping_name", "polar_stereographic"));
  CHECK_OK(ds, esker_def_scalar(ds, "site", ESKER_TEXT, "Swiss Camp", &scalar));
  CHECK(scalar == 1);
  CHECK_FAILS(ds, esker_def_scalar(ds, "dt", ESKER_INT32, &zero, &scalar), ESKER_ALREADY_EXISTS, "dt");
}

/* A later inquiry returns the new value of an attribute that was redefined. */
static void redefine_attribute(esker_dataset* ds) {
  static const int16_t other[2] = {7, 8};
  static const int8_t flags[3] = {0, 1, 2};
  const int64_t* integers;
  int64_t count;
  CHECK_OK(ds, esker_get_att_int64(ds, ESKER_FIELD, 0, "flag_values", &integers, &count));
  CHECK(count == 3 && integers[1] == 1);
  CHECK_OK(ds, esker_put_att_values(ds, ESKER_FIELD, 0, "flag_values", ESKER_INT16, other, 2));
  CHECK_OK(ds, esker_get_att_int64(ds, ESKER_FIELD, 0, "flag_values", &integers, &count));
  CHECK(count == 2 && integers[1] == 8);
  CHECK_OK(ds, esker_put_att_values(ds, ESKER_FIELD, 0, "flag_values", ESKER_INT8, flags, 3));
}

static void expect_attributes(esker_dataset* ds) {
  esker_att_type kind;
  esker_type type;
  const void* values;
  const int64_t *integers, *again;
  const double *reals, *same;
  const char* text;
  int64_t count;
  CHECK_OK(ds, esker_get_att_values(ds, ESKER_FIELD, 0, "flag_values", &type, &values, &count));
  CHECK(type == ESKER_INT8 && count == 3 && ((const int8_t*)values)[2] == 2);
  CHECK_OK(ds, esker_inq_att(ds, ESKER_FIELD, 0, "flag_values", &kind, &count));
  CHECK(kind == ESKER_ATT_INT64 && count == 3);
  CHECK_OK(ds, esker_get_att_int64(ds, ESKER_FIELD, 0, "flag_values", &integers, &count));
  CHECK(count == 3 && integers[1] == 1);
  CHECK_OK(ds, esker_get_att_int64(ds, ESKER_FIELD, 0, "flag_values", &again, &count));
  CHECK(again == integers && integers[1] == 1); /* arrays live until esker_close */
  CHECK_OK(ds, esker_get_att_values(ds, ESKER_FIELD, 0, "big", &type, &values, &count));
  CHECK(type == ESKER_UINT64 && *(const uint64_t*)values == UINT64_C(18446744073709551615));
  CHECK_FAILS(ds, esker_get_att_int64(ds, ESKER_FIELD, 0, "big", &integers, &count), ESKER_OUT_OF_RANGE,
              "18446744073709551615");
  CHECK_OK(ds, esker_get_att_double(ds, ESKER_DIM, 0, "scale_factor", &reals, &count));
  CHECK(count == 1 && reals[0] == 0.1f);
  CHECK_OK(ds, esker_get_att_double(ds, ESKER_DIM, 0, "scale_factor", &same, &count));
  CHECK(same == reals && reals[0] == 0.1f);
  CHECK_OK(ds, esker_get_att_text(ds, ESKER_FIELD, 0, "flag_names", &text));
  CHECK(strcmp(text, "land\n\nfloating ice") == 0);
  CHECK_OK(ds, esker_inq_att(ds, ESKER_FIELD, 0, "flag_names", &kind, &count));
  CHECK(kind == ESKER_ATT_TEXT && count == 18);
  CHECK_OK(ds, esker_get_att_text(ds, ESKER_SCALAR, 0, "grid_mapping_name", &text));
  CHECK(strcmp(text, "polar_stereographic") == 0);
  CHECK_FAILS(ds, esker_get_att_values(ds, ESKER_SCALAR, 0, "grid_mapping_name", &type, &values, &count),
              ESKER_INVALID_ARGUMENT, "is text, not");
}

static void expect_definitions(esker_dataset* ds) {
  esker_type type;
  const void* values;
  const char* name;
  int64_t count;
  int num;
  CHECK_OK(ds, esker_inq_time(ds, &name, &type));
  CHECK(strcmp(name, "t") == 0 && type == ESKER_INT32);
  CHECK_OK(ds, esker_inq_coords_values(ds, 0, 0, &type, &values, &count));
  CHECK(type == ESKER_INT64 && count == NX && ((const int64_t*)values)[2] == INT64_C(9007199254740993));
  CHECK_OK(ds, esker_inq_num_scalars(ds, &num));
  CHECK(num == 2);
  CHECK_OK(ds, esker_inq_scalar(ds, 0, &name, &type, &values));
  CHECK(strcmp(name, "crs") == 0 && type == ESKER_INT32 && *(const int32_t*)values == 0);
  CHECK_OK(ds, esker_inq_scalar(ds, 1, &name, &type, &values));
  CHECK(strcmp(name, "site") == 0 && type == ESKER_TEXT && strcmp(values, "Swiss Camp") == 0);
}

static void round_trip(const struct world* w, const char* name, const char* format) {
  const int64_t lo[1] = {0}, extent[1] = {1};
  const char* path = path_of(w, name);
  double dt = 0;
  esker_options* options;
  esker_dataset* ds = NULL;
  int series, step;
  CHECK(esker_options_new(&options) == ESKER_OK);
  CHECK(esker_options_set(options, "overwrite", "true") == ESKER_OK);
  CHECK(esker_options_set(options, "format", format) == ESKER_OK);
  CHECK(esker_options_set(options, "report", "none") == ESKER_OK);
  CHECK_OK(ds, esker_create(path, w->comm, options, &ds));
  define(ds, &series);
  redefine_attribute(ds);
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_ALREADY_EXISTS, "dt"); /* the error of the second scalar */
  for (step = 0; step < 2; ++step) {
    dt = 0.5 + step;
    CHECK_OK(ds, esker_begin_step(ds, 10 * step));
    if (w->rank == 0) CHECK_OK(ds, esker_put(ds, 0, ESKER_FLOAT64, lo, extent, &dt));
    CHECK_OK(ds, esker_end_step(ds));
  }
  CHECK_FAILS(ds, esker_begin_step(ds, 20.5), ESKER_INVALID_ARGUMENT, "int32");
  (void)esker_close(ds);
  esker_free(ds);
  esker_options_free(options);
  ds = NULL;
  CHECK_OK(ds, esker_open(path, 0, &ds));
  expect_definitions(ds);
  expect_attributes(ds);
  CHECK_OK(ds, esker_get(ds, 0, 1, NULL, NULL, ESKER_FULL_LEVEL, &dt, sizeof dt));
  CHECK(dt == 1.5);
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

void test_typed(const struct world* w) {
  round_trip(w, "typed.idx", "idx");
  round_trip(w, "typed.nc", "cdf5");
#ifdef ESKER_HAVE_HDF5
  round_trip(w, "typed4.nc", "netcdf4");
#endif
}
