/* Write, then read: all kinds of fields, attributes, coordinates, memory layouts and types. */
#include <stdlib.h>
#include <string.h>

#include "world.h"

enum { NX = 13, NY = 7, NZ = 5, GHOST = 2, STEPS = 3 };

static int sample_value(int64_t step, int64_t x, int64_t y, int64_t z, int c) {
  return (int)((x + 17 * y + 31 * z + 7 * step + 3 * c) % 101 + 1);
}

struct model {
  int dims[3], volume, plane, temp, vel, mask, topg;
};

static struct model define(esker_dataset* ds) {
  static const double xs[NX] = {0, .5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6};
  static const int64_t history[2] = {INT64_C(1) << 40, -7};
  static const double range[3] = {0.5, -1e300, 3};
  struct model m;
  CHECK_OK(ds, esker_def_dim(ds, "x", NX, &m.dims[0]));
  CHECK_OK(ds, esker_def_dim(ds, "y", NY, &m.dims[1]));
  CHECK_OK(ds, esker_def_dim(ds, "z", NZ, &m.dims[2]));
  CHECK_OK(ds, esker_def_grid(ds, "volume", 3, m.dims, &m.volume));
  CHECK_OK(ds, esker_def_grid(ds, "plane", 2, m.dims, &m.plane));
  CHECK_OK(ds, esker_def_coords(ds, m.plane, m.dims[0], xs, NX));
  CHECK_OK(ds, esker_def_field(ds, m.volume, "temp", ESKER_FLOAT64, 1, ESKER_EVERY_STEP, &m.temp));
  CHECK_OK(ds, esker_def_field(ds, m.volume, "vel", ESKER_FLOAT32, 3, ESKER_EVERY_STEP, &m.vel));
  CHECK_OK(ds, esker_def_field(ds, m.plane, "mask", ESKER_UINT8, 1, 2, &m.mask));
  CHECK_OK(ds, esker_def_field(ds, m.plane, "topg", ESKER_INT16, 1, ESKER_FIXED, &m.topg));
  CHECK_OK(ds, esker_put_att_text(ds, ESKER_DATASET, 0, "title", "Gr\xc3\xb8nland"));
  CHECK_OK(ds, esker_put_att_text(ds, ESKER_TIME, 0, "units", "days since 1990-1-1"));
  CHECK_OK(ds, esker_put_att_text(ds, ESKER_DIM, 0, "axis", "X"));
  CHECK_OK(ds, esker_put_att_int64(ds, ESKER_GRID, m.plane, "history", history, 2));
  CHECK_OK(ds, esker_put_att_double(ds, ESKER_FIELD, m.temp, "range", range, 3));
  CHECK_OK(ds, esker_put_att_text(ds, ESKER_FIELD, m.temp, "units", "degC"));
  CHECK_OK(ds, esker_put_att_text(ds, ESKER_FIELD, m.temp, "units", "K")); /* replaced */
  return m;
}

/* Dense memory, in one patch of this rank's columns. */
static void put_temp(const struct world* w, esker_dataset* ds, int field, int64_t step, double* memory) {
  int64_t lo[3] = {0, 0, 0}, extent[3] = {0, NY, NZ}, x, y, z;
  double* next = memory;
  my_columns(w, &lo[0], &extent[0]);
  for (z = 0; z < NZ; ++z)
    for (y = 0; y < NY; ++y)
      for (x = lo[0]; x < lo[0] + extent[0]; ++x) *next++ = sample_value(step, x, y, z, 0);
  CHECK_OK(ds, esker_put(ds, field, ESKER_FLOAT64, lo, extent, memory));
}

/* Memory as vel[c][x][y][z], z fastest, with ghost cells around x: in two patches, of lower and upper z. */
static void put_vel(const struct world* w, esker_dataset* ds, int field, int64_t step, float* memory) {
  const int64_t row = (int64_t)sizeof(float);
  int64_t lo[3] = {0, 0, 0}, extent[3] = {0, NY, 2}, stride[3], x, y, z, plane;
  int c;
  my_columns(w, &lo[0], &extent[0]);
  stride[2] = row;
  stride[1] = row * NZ;
  stride[0] = row * NZ * NY;
  plane = NZ * NY * (extent[0] + 2 * GHOST);
  for (c = 0; c < 3; ++c)
    for (x = 0; x < extent[0]; ++x)
      for (y = 0; y < NY; ++y)
        for (z = 0; z < NZ; ++z)
          memory[c * plane + ((x + GHOST) * NY + y) * NZ + z] = (float)sample_value(step, lo[0] + x, y, z, c);
  memory += GHOST * NY * NZ;
  CHECK_OK(ds, esker_put_strided(ds, field, ESKER_FLOAT32, lo, extent, memory, stride, plane * row));
  lo[2] = 2;
  extent[2] = NZ - 2;
  CHECK_OK(ds, esker_put_strided(ds, field, ESKER_FLOAT32, lo, extent, memory + 2, stride, plane * row));
}

static void put_plane(const struct world* w, esker_dataset* ds, const struct model* m, int64_t step,
                      unsigned char* mask, int16_t* topg) {
  int64_t lo[2] = {0, 0}, extent[2] = {0, NY}, x, y;
  my_columns(w, &lo[0], &extent[0]);
  for (y = 0; y < NY; ++y) {
    for (x = 0; x < extent[0]; ++x) {
      mask[y * extent[0] + x] = (unsigned char)sample_value(step, lo[0] + x, y, 0, 1);
      topg[y * extent[0] + x] = (int16_t)-sample_value(0, lo[0] + x, y, 0, 2);
    }
  }
  if (step % 2 == 0) CHECK_OK(ds, esker_put(ds, m->mask, ESKER_UINT8, lo, extent, mask));
  if (step == 0) CHECK_OK(ds, esker_put(ds, m->topg, ESKER_INT16, lo, extent, topg));
}

static void expect_schema(esker_dataset* ds, const struct model* m) {
  const char* name = NULL;
  int num = -1, dims[ESKER_MAX_RANK], grid = -1, type = -1, components = -1, every = -1;
  int64_t size = -1, count = -1;
  const double* xs = NULL;
  CHECK_OK(ds, esker_inq_num_dims(ds, &num));
  CHECK(num == 3);
  CHECK_OK(ds, esker_inq_dim(ds, m->dims[1], &name, &size));
  CHECK(strcmp(name, "y") == 0 && size == NY);
  CHECK_OK(ds, esker_inq_dim_id(ds, "z", &num));
  CHECK(num == m->dims[2]);
  CHECK_OK(ds, esker_inq_num_grids(ds, &num));
  CHECK(num == 2);
  CHECK_OK(ds, esker_inq_grid(ds, m->volume, &name, &num, dims));
  CHECK(strcmp(name, "volume") == 0 && num == 3 && memcmp(dims, m->dims, sizeof m->dims) == 0);
  CHECK_OK(ds, esker_inq_grid_id(ds, "plane", &num));
  CHECK(num == m->plane);
  CHECK_OK(ds, esker_inq_coords(ds, m->plane, m->dims[0], &xs, &count));
  CHECK(count == NX && xs[3] == 1.5);
  CHECK_FAILS(ds, esker_inq_coords(ds, m->volume, m->dims[0], &xs, &count), ESKER_NOT_FOUND, "'volume'");
  CHECK_OK(ds, esker_inq_num_fields(ds, &num));
  CHECK(num == 4);
  CHECK_OK(ds, esker_inq_field(ds, m->vel, &name, &grid, &type, &components, &every));
  CHECK(strcmp(name, "vel") == 0 && grid == m->volume && type == ESKER_FLOAT32);
  CHECK(components == 3 && every == ESKER_EVERY_STEP);
  CHECK_OK(ds, esker_inq_field(ds, m->topg, NULL, NULL, &type, NULL, &every));
  CHECK(type == ESKER_INT16 && every == ESKER_FIXED);
  CHECK_OK(ds, esker_inq_field(ds, m->mask, NULL, NULL, NULL, NULL, &every));
  CHECK(every == 2);
  CHECK_OK(ds, esker_inq_field_id(ds, "topg", &num));
  CHECK(num == m->topg);
}

static void expect_attributes(esker_dataset* ds, const struct model* m) {
  const char* text = NULL;
  const int64_t* integers = NULL;
  const double* reals = NULL;
  int64_t count = -1;
  int num = -1, type = -1;
  CHECK_OK(ds, esker_get_att_text(ds, ESKER_TIME, 0, "units", &text));
  CHECK(strcmp(text, "days since 1990-1-1") == 0);
  CHECK_OK(ds, esker_get_att_text(ds, ESKER_DIM, 0, "axis", &text));
  CHECK(strcmp(text, "X") == 0);
  CHECK_OK(ds, esker_get_att_text(ds, ESKER_DATASET, 0, "title", &text));
  CHECK(strcmp(text, "Gr\xc3\xb8nland") == 0);
  CHECK_OK(ds, esker_inq_att(ds, ESKER_DATASET, 0, "title", &type, &count));
  CHECK(type == ESKER_ATT_TEXT && count == 9);
  CHECK_OK(ds, esker_get_att_int64(ds, ESKER_GRID, m->plane, "history", &integers, &count));
  CHECK(count == 2 && integers[0] == INT64_C(1) << 40 && integers[1] == -7);
  CHECK_OK(ds, esker_get_att_double(ds, ESKER_FIELD, m->temp, "range", &reals, &count));
  CHECK(count == 3 && reals[0] == 0.5 && reals[1] == -1e300 && reals[2] == 3);
  CHECK_OK(ds, esker_inq_num_atts(ds, ESKER_FIELD, m->temp, &num));
  CHECK(num == 2);
  CHECK_OK(ds, esker_inq_att_name(ds, ESKER_FIELD, m->temp, 1, &text));
  CHECK(strcmp(text, "units") == 0);
  CHECK_OK(ds, esker_get_att_text(ds, ESKER_FIELD, m->temp, "units", &text));
  CHECK(strcmp(text, "K") == 0);
  CHECK_FAILS(ds, esker_inq_att_name(ds, ESKER_FIELD, m->temp, 2, &text), ESKER_OUT_OF_RANGE, "there are 2");
  CHECK_FAILS(ds, esker_get_att_text(ds, ESKER_FIELD, m->temp, "range", &text), ESKER_INVALID_ARGUMENT,
              "reals, not text");
  CHECK_FAILS(ds, esker_get_att_text(ds, ESKER_FIELD, m->vel, "units", &text), ESKER_NOT_FOUND, "'units'");
  CHECK_FAILS(ds, esker_inq_num_atts(ds, ESKER_FIELD, 4, &num), ESKER_OUT_OF_RANGE, "there are 4");
  CHECK_FAILS(ds, esker_inq_num_atts(ds, ESKER_DATASET, 1, &num), ESKER_INVALID_ARGUMENT, "expected 0");
  CHECK_FAILS(ds, esker_inq_num_atts(ds, 7, 0, &num), ESKER_INVALID_ARGUMENT, "object 7");
}

/* All samples of a query of "vel", compared with the values that were put. */
static void expect_vel(esker_dataset* ds, const struct model* m, int64_t step, const int64_t* lo,
                       const int64_t* extent, int level) {
  int64_t origin[3], stride[3], count[3], x, y, z, bytes;
  const float* next;
  float* samples;
  int c;
  CHECK_OK(ds, esker_inq_selection(ds, m->vel, step, lo, extent, level, origin, stride, count));
  bytes = count[0] * count[1] * count[2] * 3 * (int64_t)sizeof(float);
  CHECK(bytes > 0);
  samples = malloc((size_t)bytes);
  CHECK_OK(ds, esker_get(ds, m->vel, step, lo, extent, level, samples, bytes));
  next = samples;
  for (z = 0; z < count[2]; ++z)
    for (y = 0; y < count[1]; ++y)
      for (x = 0; x < count[0]; ++x)
        for (c = 0; c < 3; ++c)
          CHECK(*next++ == (float)sample_value(step, origin[0] + x * stride[0], origin[1] + y * stride[1],
                                               origin[2] + z * stride[2], c));
  free(samples);
}

static void expect_samples(esker_dataset* ds, const struct model* m) {
  static const int64_t lo[3] = {3, 2, 1}, extent[3] = {8, 4, 3}, beyond[3] = {20, 0, 0};
  int64_t step, count[3], found_lo[3], found_extent[3];
  int level = -1, l, has = -1, i;
  int16_t topg[NX * NY];
  CHECK_OK(ds, esker_inq_max_level(ds, m->vel, &level));
  for (step = 0; step < STEPS; ++step) {
    expect_vel(ds, m, step, NULL, NULL, ESKER_FULL_LEVEL);
    expect_vel(ds, m, step, lo, extent, level);
    for (l = 0; l < level; ++l) expect_vel(ds, m, step, NULL, NULL, l);
    CHECK_OK(ds, esker_inq_has(ds, m->mask, step, &has));
    CHECK(has == (step % 2 == 0));
    CHECK_OK(ds, esker_inq_has(ds, m->topg, step, &has));
    CHECK(has == 1);
  }
  CHECK_OK(ds, esker_inq_box(ds, m->vel, found_lo, found_extent));
  CHECK(found_lo[0] == 0 && found_extent[0] == NX && found_extent[1] == NY && found_extent[2] == NZ);
  CHECK_OK(ds, esker_get(ds, m->topg, ESKER_LAST_STEP, NULL, NULL, ESKER_FULL_LEVEL, topg, sizeof topg));
  for (i = 0; i < NX * NY; ++i) CHECK(topg[i] == -sample_value(0, i % NX, i / NX, 0, 2));
  CHECK_FAILS(ds, esker_get(ds, m->topg, 0, NULL, NULL, ESKER_FULL_LEVEL, topg, 3), ESKER_INVALID_ARGUMENT,
              "3 bytes");
  CHECK_FAILS(ds, esker_get(ds, m->mask, 1, NULL, NULL, ESKER_FULL_LEVEL, topg, NX * NY), ESKER_NOT_FOUND,
              "'mask' was not written at step 1");
  CHECK_FAILS(ds, esker_get(ds, m->vel, STEPS, NULL, NULL, ESKER_FULL_LEVEL, topg, 4), ESKER_OUT_OF_RANGE,
              "step 3");
  CHECK_FAILS(ds, esker_get(ds, m->vel, 0, NULL, NULL, 99, topg, 4), ESKER_OUT_OF_RANGE, "level 99");
  CHECK_FAILS(ds, esker_get(ds, m->vel, 0, lo, NULL, 0, topg, 4), ESKER_INVALID_ARGUMENT, "extent is NULL");
  CHECK_FAILS(ds, esker_get(ds, m->vel, 0, NULL, NULL, 0, NULL, 4), ESKER_INVALID_ARGUMENT, "NULL buffer");
  CHECK_FAILS(ds, esker_get(ds, m->vel, 0, NULL, NULL, 0, topg, -4), ESKER_INVALID_ARGUMENT, "-4 bytes");
  CHECK_FAILS(ds, esker_get(ds, 9, 0, NULL, NULL, 0, topg, 4), ESKER_OUT_OF_RANGE, "number 9");
  CHECK_FAILS(ds, esker_inq_selection(ds, m->vel, 0, beyond, extent, 4, NULL, NULL, count),
              ESKER_OUT_OF_RANGE, "exceeds the grid");
  CHECK_FAILS(ds, esker_get(ds, m->vel, 0, beyond, extent, 4, NULL, 0), ESKER_OUT_OF_RANGE,
              "exceeds the grid");
}

static void expect_storage(esker_dataset* ds) {
  int64_t files = -1, bytes = -1;
  int num = -1, p, fixed = 0;
  const char* name = NULL;
  esker_part part;
  CHECK_OK(ds, esker_inq_num_parts(ds, &num));
  CHECK(num == 3); /* volume, plane, plane_fixed */
  for (p = 0; p < num; ++p) {
    CHECK_OK(ds, esker_inq_part(ds, p, &part));
    CHECK(part.lo[0] == 0 && part.extent[0] == NX && part.bits_per_block == 6);
    CHECK(part.blocks_per_file >= 1 && part.blocks_per_file <= 4 && part.num_steps >= 1);
    CHECK(strstr(part.path, ".idx") && part.bitmask[0] == 'V' && part.num_blocks > 0);
    CHECK(part.rank == (strcmp(part.name, "volume") == 0 ? 3 : 2));
    CHECK(part.num_fields >= 1);
    CHECK_OK(ds, esker_inq_part_field(ds, p, 0, &name));
    CHECK(strlen(name) >= 3);
    CHECK_FAILS(ds, esker_inq_part_field(ds, p, 99, &name), ESKER_OUT_OF_RANGE, "number 99");
    if (strcmp(part.name, "plane_fixed") == 0) ++fixed;
  }
  CHECK(fixed == 1);
  CHECK_OK(ds, esker_inq_storage(ds, &files, &bytes));
  CHECK(files > 3 && bytes > STEPS * NX * NY * NZ * 20);
  CHECK_OK(ds, esker_inq_num_warnings(ds, &num));
  CHECK(num == 0);
  CHECK_FAILS(ds, esker_inq_warning(ds, 0, &name), ESKER_OUT_OF_RANGE, "there are 0");
}

void test_round_trip(const struct world* w) {
  static double temp[NX * NY * NZ];
  static float vel[3 * (NX + 2 * GHOST) * NY * NZ];
  static unsigned char mask[NX * NY];
  static int16_t topg[NX * NY];
  esker_dataset* ds = create(w, "round_trip.idx");
  const struct model m = define(ds);
  const double* times = NULL;
  int64_t step, num = -1;
  expect_schema(ds, &m); /* inquiries work while writing, too */
  expect_attributes(ds, &m);
  for (step = 0; step < STEPS; ++step) {
    CHECK_OK(ds, esker_begin_step(ds, 0.5 * (double)step));
    put_temp(w, ds, m.temp, step, temp);
    put_vel(w, ds, m.vel, step, vel);
    put_plane(w, ds, &m, step, mask, topg);
    CHECK_OK(ds, esker_end_step(ds));
  }
  CHECK_OK(ds, esker_inq_steps(ds, &num, &times));
  CHECK(num == STEPS && times[2] == 1.0);
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);

  ds = NULL;
  CHECK_OK(ds, esker_open(path_of(w, "round_trip.idx"), 0, &ds));
  CHECK_OK(ds, esker_inq_steps(ds, &num, &times));
  CHECK(num == STEPS && times[1] == 0.5);
  expect_schema(ds, &m);
  expect_attributes(ds, &m);
  expect_samples(ds, &m);
  expect_storage(ds);
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

/* Stores a value as a number of that type. */
static void store(esker_type type, void* to, int value) {
  switch (type) {
    case ESKER_INT8:
      *(int8_t*)to = (int8_t)value;
      break;
    case ESKER_UINT8:
      *(uint8_t*)to = (uint8_t)value;
      break;
    case ESKER_INT16:
      *(int16_t*)to = (int16_t)value;
      break;
    case ESKER_UINT16:
      *(uint16_t*)to = (uint16_t)value;
      break;
    case ESKER_INT32:
      *(int32_t*)to = value;
      break;
    case ESKER_UINT32:
      *(uint32_t*)to = (uint32_t)value;
      break;
    case ESKER_INT64:
      *(int64_t*)to = value;
      break;
    case ESKER_UINT64:
      *(uint64_t*)to = (uint64_t)value;
      break;
    case ESKER_FLOAT32:
      *(float*)to = (float)value;
      break;
    default:
      *(double*)to = value;
  }
}

/* A field of each type; the bytes that are read equal those that were put. */
void test_types(const struct world* w) {
  enum { NUM_TYPES = 10 };
  static int64_t memory[NUM_TYPES][NX], expected[NX], found[NX];
  esker_dataset* ds = create(w, "types.idx");
  int64_t lo, extent, i;
  int dim, grid, type, fields[NUM_TYPES];
  CHECK_OK(ds, esker_def_dim(ds, "x", NX, &dim));
  CHECK_OK(ds, esker_def_grid(ds, "line", 1, &dim, &grid));
  for (type = 0; type < NUM_TYPES; ++type)
    CHECK_OK(ds, esker_def_field(ds, grid, esker_type_name(type), type, 1, 1, &fields[type]));
  CHECK_OK(ds, esker_begin_step(ds, -1));
  my_columns(w, &lo, &extent);
  for (type = 0; type < NUM_TYPES; ++type) {
    for (i = 0; i < extent; ++i)
      store(type, (char*)memory[type] + i * esker_type_bytes(type), (int)(lo + i + 1));
    CHECK_OK(ds, esker_put(ds, fields[type], type, &lo, &extent, memory[type]));
  }
  CHECK_OK(ds, esker_end_step(ds));
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  ds = NULL;
  CHECK_OK(ds, esker_open(path_of(w, "types.idx"), 0, &ds));
  for (type = 0; type < NUM_TYPES; ++type) {
    const int bytes = esker_type_bytes(type);
    for (i = 0; i < NX; ++i) store(type, (char*)expected + i * bytes, (int)(i + 1));
    CHECK_OK(ds, esker_get(ds, fields[type], 0, NULL, NULL, ESKER_FULL_LEVEL, found, NX * bytes));
    CHECK(memcmp(found, expected, (size_t)(NX * bytes)) == 0);
  }
  esker_free(ds); /* a dataset that is read needs no esker_close */
}
