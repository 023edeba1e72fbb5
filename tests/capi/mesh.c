/* Meshes with several levels: patches of two levels, and the composite that is read. */
#include <string.h>

#include "world.h"

/* 6 x 5 cells; those of level 1 are 4 times finer along x, and 2 times along y: 24 x 10. */
enum { NX = 6, NY = 5, RX = 4, RY = 2, FINE_NX = NX * RX, FINE_NY = NY * RY };
static const int64_t kExtent[2] = {NX, NY}, kRatios[2] = {RX, RY};
static const double kOrigin[2] = {-1, 0.5}, kSpacing[2] = {0.25, 2};
/* Patches of level 1: of the first rank, and of the last. */
static const int64_t kFineLo[2][2] = {{4, 2}, {16, 4}}, kFineExtent[2][2] = {{8, 4}, {8, 6}};

static double coarse(int64_t x, int64_t y) { return (double)(100 * y + x); }
static double fine(int64_t x, int64_t y) { return 0.5 + (double)(100 * y + x); }

static int in_patch(int p, int64_t x, int64_t y) {
  return x >= kFineLo[p][0] && x < kFineLo[p][0] + kFineExtent[p][0] && y >= kFineLo[p][1] &&
         y < kFineLo[p][1] + kFineExtent[p][1];
}

/* What is read at an index of level 1. */
static double composite(int64_t x, int64_t y) {
  return in_patch(0, x, y) || in_patch(1, x, y) ? fine(x, y) : coarse(x / RX, y / RY);
}

/* A dataset that is written: rho is put without a copy, p from float64 with a copy. */
struct run {
  esker_dataset* ds;
  int grid, rho, p;
};

/* A patch: x first for rho; for p y first, in an array that is larger by a row. */
struct patch {
  int64_t lo[2], extent[2];
  double rho[FINE_NX * FINE_NY], p[FINE_NX * (FINE_NY + 1)];
};

static void start(const struct world* w, struct run* r, const char* name) {
  static const char* const axes[2] = {"x", "y"};
  r->ds = create(w, name);
  CHECK_OK(r->ds, esker_def_mesh(r->ds, "amr", 2, axes, kExtent, 2, kRatios, ESKER_AT_CELLS, kOrigin,
                                 kSpacing, &r->grid));
  CHECK_OK(r->ds, esker_def_field(r->ds, r->grid, "rho", ESKER_FLOAT64, 1, ESKER_EVERY_STEP, &r->rho));
  CHECK_OK(r->ds, esker_def_field(r->ds, r->grid, "p", ESKER_FLOAT32, 1, ESKER_EVERY_STEP, &r->p));
}

static void put_patch(const struct run* r, int level, struct patch* patch, const int64_t* lo,
                      const int64_t* extent) {
  const int64_t stride[2] = {(FINE_NY + 1) * (int64_t)sizeof(double), sizeof(double)};
  int64_t x, y;
  memcpy(patch->lo, lo, sizeof patch->lo);
  memcpy(patch->extent, extent, sizeof patch->extent);
  for (y = 0; y < extent[1]; ++y)
    for (x = 0; x < extent[0]; ++x) {
      const double value = level == 0 ? coarse(lo[0] + x, lo[1] + y) : fine(lo[0] + x, lo[1] + y);
      patch->rho[y * extent[0] + x] = value;
      patch->p[x * (FINE_NY + 1) + y] = -value;
    }
  CHECK_OK(r->ds, esker_put_level(r->ds, r->rho, level, ESKER_FLOAT64, patch->lo, patch->extent, patch->rho,
                                  NULL, 0));
  CHECK_OK(r->ds, esker_put_buffered_level(r->ds, r->p, level, ESKER_FLOAT64, patch->lo, patch->extent,
                                           patch->p, stride, 0));
  memset(patch->p, 0, sizeof patch->p);
}

/* This rank's columns of level 0, and its patches of level 1, which need `patches` until the step ends. */
static void put_all(const struct world* w, const struct run* r, struct patch* patches) {
  const int64_t lo[2] = {NX * w->rank / w->size, 0};
  const int64_t extent[2] = {NX * (w->rank + 1) / w->size - lo[0], NY};
  put_patch(r, 0, &patches[0], lo, extent);
  if (w->rank == 0) put_patch(r, 1, &patches[1], kFineLo[0], kFineExtent[0]);
  if (w->rank == w->size - 1) put_patch(r, 1, &patches[2], kFineLo[1], kFineExtent[1]);
}

static void finish(struct run* r) {
  CHECK_OK(r->ds, esker_close(r->ds));
  esker_free(r->ds);
}

/* The mesh is the one that start() defines. */
static void expect_mesh(esker_dataset* ds) {
  int64_t extent[2] = {0, 0}, ratios[2] = {0, 0};
  double origin[2] = {0, 0}, spacing[2] = {0, 0};
  int grid = -1, num_levels = -1, dims[ESKER_MAX_RANK];
  esker_centering centering = -1;
  const char* name = NULL;
  CHECK_OK(ds, esker_inq_grid_id(ds, "amr", &grid));
  CHECK_OK(ds, esker_inq_grid(ds, grid, NULL, NULL, dims));
  CHECK_OK(ds, esker_inq_dim(ds, dims[1], &name, &extent[1]));
  CHECK(strcmp(name, "y") == 0 && extent[1] == FINE_NY);
  CHECK_OK(ds, esker_inq_mesh(ds, grid, &num_levels, NULL, NULL, NULL, NULL, NULL));
  CHECK(num_levels == 2);
  CHECK_OK(ds, esker_inq_mesh(ds, grid, NULL, extent, ratios, &centering, origin, spacing));
  CHECK(memcmp(extent, kExtent, sizeof extent) == 0 && memcmp(ratios, kRatios, sizeof ratios) == 0);
  CHECK(memcmp(origin, kOrigin, sizeof origin) == 0 && memcmp(spacing, kSpacing, sizeof spacing) == 0);
  CHECK(centering == ESKER_AT_CELLS);
  CHECK_OK(ds, esker_inq_mesh_level(ds, grid, 0, extent, ratios));
  CHECK(memcmp(extent, kExtent, sizeof extent) == 0 && memcmp(ratios, kRatios, sizeof ratios) == 0);
  CHECK_OK(ds, esker_inq_mesh_level(ds, grid, 1, extent, ratios));
  CHECK(extent[0] == FINE_NX && extent[1] == FINE_NY && ratios[0] == 1 && ratios[1] == 1);
  CHECK_OK(ds, esker_inq_mesh_level(ds, grid, 1, NULL, NULL));
  CHECK_FAILS(ds, esker_inq_mesh_level(ds, grid, 2, extent, ratios), ESKER_OUT_OF_RANGE, "level 2");
  CHECK_FAILS(ds, esker_inq_mesh_level(ds, grid, -1, extent, ratios), ESKER_OUT_OF_RANGE, "level -1");
  CHECK_FAILS(ds, esker_inq_mesh(ds, 7, &num_levels, NULL, NULL, NULL, NULL, NULL), ESKER_OUT_OF_RANGE,
              "no grid has the number 7");
}

static void write_levels(const struct world* w, const char* name) {
  struct patch patches[3];
  struct run r;
  int64_t step;
  start(w, &r, name);
  expect_mesh(r.ds);
  for (step = 0; step < 2; ++step) {
    CHECK_OK(r.ds, esker_begin_step(r.ds, (double)step));
    put_all(w, &r, patches);
    CHECK_OK(r.ds, esker_end_step(r.ds));
  }
  finish(&r);
}

/* The patches of the last step: the ranks' columns of level 0, then those of level 1. */
static void expect_patches(const struct world* w, esker_dataset* ds) {
  enum { FINE = 2, MOST = NX + FINE };
  const int columns = w->size < NX ? w->size : NX;
  int64_t num = -1, lo[MOST][2], extent[MOST][2], patches[2], samples[2], covered[2];
  int levels[MOST], num_levels = -1, i, x = 0;
  CHECK_OK(ds, esker_inq_patches(ds, 0, 0, &num, NULL, NULL, NULL));
  CHECK(num == columns + FINE);
  CHECK_OK(ds, esker_inq_patches(ds, 0, ESKER_LAST_STEP, NULL, levels, lo[0], extent[0]));
  for (i = 0; i < columns; ++i) {
    CHECK(levels[i] == 0 && lo[i][0] == x && lo[i][1] == 0 && extent[i][1] == NY);
    x += (int)extent[i][0];
  }
  CHECK(x == NX);
  for (i = 0; i < FINE; ++i) {
    CHECK(levels[columns + i] == 1);
    CHECK(memcmp(lo[columns + i], kFineLo[i], sizeof lo[0]) == 0);
    CHECK(memcmp(extent[columns + i], kFineExtent[i], sizeof extent[0]) == 0);
  }
  CHECK_OK(ds, esker_inq_level_covers(ds, 1, 0, &num_levels, NULL, NULL, NULL));
  CHECK(num_levels == 2);
  CHECK_OK(ds, esker_inq_level_covers(ds, 1, 0, NULL, patches, samples, covered));
  CHECK(patches[0] == columns && samples[0] == NX * NY && covered[0] == (8 * 4 + 8 * 6) / (RX * RY));
  CHECK(patches[1] == FINE && samples[1] == 8 * 4 + 8 * 6 && covered[1] == 0);
  CHECK_FAILS(ds, esker_inq_patches(ds, 0, 2, &num, NULL, NULL, NULL), ESKER_OUT_OF_RANGE, "step 2");
  CHECK_FAILS(ds, esker_inq_patches(ds, 7, 0, &num, NULL, NULL, NULL), ESKER_OUT_OF_RANGE,
              "no field has the number 7");
  CHECK_FAILS(ds, esker_inq_level_covers(ds, 0, 2, NULL, patches, NULL, NULL), ESKER_OUT_OF_RANGE, "step 2");
}

static void read_levels(const struct world* w) {
  esker_dataset* ds = NULL;
  double rho[FINE_NX * FINE_NY];
  float p[FINE_NX * FINE_NY];
  int64_t x, y, step;
  CHECK_OK(ds, esker_open(path_of(w, "levels.idx"), ESKER_OPEN_VERIFY, &ds));
  expect_mesh(ds);
  expect_patches(w, ds);
  for (step = 0; step < 2; ++step) {
    CHECK_OK(ds, esker_get(ds, 0, step, NULL, NULL, ESKER_FULL_LEVEL, rho, sizeof rho));
    CHECK_OK(ds, esker_get(ds, 1, step, NULL, NULL, ESKER_FULL_LEVEL, p, sizeof p));
    for (y = 0; y < FINE_NY; ++y)
      for (x = 0; x < FINE_NX; ++x) {
        CHECK(rho[y * FINE_NX + x] == composite(x, y));
        CHECK(p[y * FINE_NX + x] == (float)-composite(x, y));
      }
  }
  CHECK_FAILS(ds, esker_put_level(ds, 0, 0, ESKER_FLOAT64, kExtent, kExtent, rho, NULL, 0), ESKER_WRONG_ORDER,
              "reading only");
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

#ifdef ESKER_HAVE_HDF5
/* Whole levels, those under finer patches included. */
static void read_whole_levels(const struct world* w) {
  esker_dataset* ds = NULL;
  double rho[FINE_NX * FINE_NY];
  const double* in_patch_1 = rho;
  int64_t x, y, stride[2], count[2];
  int whole = -1;
  CHECK_OK(ds, esker_open(path_of(w, "levels.vtkhdf.series"), 0, &ds));
  expect_mesh(ds);
  expect_patches(w, ds);
  CHECK_OK(ds, esker_get(ds, 0, 1, NULL, NULL, ESKER_FULL_LEVEL, rho, sizeof rho));
  for (y = 0; y < FINE_NY; ++y)
    for (x = 0; x < FINE_NX; ++x) CHECK(rho[y * FINE_NX + x] == composite(x, y));
  CHECK_OK(ds, esker_inq_whole_levels(ds, 0, &whole));
  CHECK(whole == 1);
  CHECK_OK(ds, esker_set_mesh_level(ds, 0, 0));
  CHECK_OK(ds, esker_inq_selection(ds, 0, 1, NULL, NULL, ESKER_FULL_LEVEL, NULL, stride, count));
  CHECK(stride[0] == 1 && count[0] == NX && count[1] == NY);
  CHECK_OK(ds, esker_get(ds, 0, 1, NULL, NULL, ESKER_FULL_LEVEL, rho, NX * NY * (int64_t)sizeof(double)));
  for (y = 0; y < NY; ++y)
    for (x = 0; x < NX; ++x) CHECK(rho[y * NX + x] == coarse(x, y));
  CHECK_OK(ds, esker_set_mesh_level(ds, 0, 1));
  CHECK_OK(ds, esker_get(ds, 0, 1, kFineLo[1], kFineExtent[1], ESKER_FULL_LEVEL, rho,
                         8 * 6 * (int64_t)sizeof(double)));
  for (y = kFineLo[1][1]; y < kFineLo[1][1] + 6; ++y)
    for (x = kFineLo[1][0]; x < kFineLo[1][0] + 8; ++x) CHECK(*in_patch_1++ == fine(x, y));
  CHECK_FAILS(ds, esker_set_mesh_level(ds, 0, 2), ESKER_INVALID_ARGUMENT, "mesh level 2, expected 0 to 1");
  CHECK_OK(ds, esker_set_mesh_level(ds, 0, ESKER_ALL_MESH_LEVELS));
  CHECK_OK(ds, esker_get(ds, 0, 1, NULL, NULL, ESKER_FULL_LEVEL, rho, sizeof rho));
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  CHECK_OK(ds, esker_open(path_of(w, "levels.idx"), 0, &ds));
  CHECK_OK(ds, esker_inq_whole_levels(ds, 0, &whole));
  CHECK(whole == 0);
  CHECK_FAILS(ds, esker_set_mesh_level(ds, 0, 0), ESKER_UNSUPPORTED,
              "only format=vtkhdf stores whole levels");
  esker_free(ds);
}

/* A field that the last of two steps does not have: its level is chosen all the same. */
static void read_level_of_an_earlier_step(const struct world* w) {
  static const char* const axes[2] = {"x", "y"};
  static const int64_t lo[2] = {0, 0};
  const int64_t none[2] = {0, 0}, *extent = w->rank == 0 ? kExtent : none;
  double data[NX * NY], found[NX * NY];
  int grid, often, seldom, step, i;
  esker_dataset* ds = create(w, "seldom.vtkhdf.series");
  CHECK_OK(ds, esker_def_mesh(ds, "amr", 2, axes, kExtent, 2, kRatios, ESKER_AT_CELLS, NULL, NULL, &grid));
  CHECK_OK(ds, esker_def_field(ds, grid, "often", ESKER_FLOAT64, 1, ESKER_EVERY_STEP, &often));
  CHECK_OK(ds, esker_def_field(ds, grid, "seldom", ESKER_FLOAT64, 1, 2, &seldom));
  for (i = 0; i < NX * NY; ++i) data[i] = i;
  for (step = 0; step < 2; ++step) {
    CHECK_OK(ds, esker_begin_step(ds, step));
    CHECK_OK(ds, esker_put_level(ds, often, 0, ESKER_FLOAT64, lo, extent, data, NULL, 0));
    if (step == 0) CHECK_OK(ds, esker_put_level(ds, seldom, 0, ESKER_FLOAT64, lo, extent, data, NULL, 0));
    CHECK_OK(ds, esker_end_step(ds));
  }
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  CHECK_OK(ds, esker_open(path_of(w, "seldom.vtkhdf.series"), 0, &ds));
  CHECK_FAILS(ds, esker_set_mesh_level(ds, seldom, 2), ESKER_INVALID_ARGUMENT,
              "mesh level 2, expected 0 to 1");
  CHECK_OK(ds, esker_set_mesh_level(ds, seldom, 0));
  CHECK_OK(ds, esker_get(ds, seldom, 0, NULL, NULL, ESKER_FULL_LEVEL, found, sizeof found));
  CHECK(memcmp(found, data, sizeof data) == 0);
  CHECK_FAILS(ds, esker_get(ds, seldom, 1, NULL, NULL, ESKER_FULL_LEVEL, found, sizeof found),
              ESKER_NOT_FOUND, "was not written at step 1");
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}
#endif

/* One wrong patch per step, which fails at once, and with which the step fails on all ranks. */
static void expect_wrong_patches(const struct world* w) {
  static const int64_t lo[2] = {0, 0}, beyond[2] = {NX + 1, 1};
  static const double data[2 * NX] = {0};
  struct patch patches[3];
  struct run r;
  start(w, &r, "wrong_patches.idx");
#define FAILS_WITH(call, code, word)         \
  CHECK_OK(r.ds, esker_begin_step(r.ds, 0)); \
  CHECK_FAILS(r.ds, call, code, word);       \
  CHECK_FAILS(r.ds, esker_end_step(r.ds), code, word)
#define PUT(field, level, lo, extent) \
  esker_put_level(r.ds, field, level, ESKER_FLOAT64, lo, extent, data, NULL, 0)
#define PUT_BUFFERED(field, level, lo, extent) \
  esker_put_buffered_level(r.ds, field, level, ESKER_FLOAT64, lo, extent, data, NULL, 0)
  FAILS_WITH(PUT(r.rho, 2, lo, kExtent), ESKER_OUT_OF_RANGE, "level 2, the mesh has 0 to 1");
  FAILS_WITH(PUT(r.rho, -1, lo, kExtent), ESKER_OUT_OF_RANGE, "level -1, the mesh has 0 to 1");
  FAILS_WITH(PUT_BUFFERED(r.p, 2, lo, kExtent), ESKER_OUT_OF_RANGE, "level 2, the mesh has 0 to 1");
  FAILS_WITH(PUT(r.rho, 0, lo, beyond), ESKER_OUT_OF_RANGE, "exceeds the level 0");
  FAILS_WITH(PUT(9, 0, lo, kExtent), ESKER_OUT_OF_RANGE, "no field has the number 9");
  FAILS_WITH(PUT(r.rho, 0, NULL, kExtent), ESKER_INVALID_ARGUMENT, "put: lo is NULL");
  FAILS_WITH(PUT(r.rho, 0, lo, NULL), ESKER_INVALID_ARGUMENT, "put: extent is NULL");
  FAILS_WITH(PUT_BUFFERED(r.p, 0, NULL, kExtent), ESKER_INVALID_ARGUMENT, "put_buffered: lo is NULL");
  FAILS_WITH(PUT_BUFFERED(r.p, 0, lo, NULL), ESKER_INVALID_ARGUMENT, "put_buffered: extent is NULL");
  FAILS_WITH(esker_put_level(r.ds, r.rho, 0, ESKER_FLOAT64, lo, kExtent, NULL, NULL, 0),
             ESKER_INVALID_ARGUMENT, "pointer is NULL");
  FAILS_WITH(esker_put(r.ds, r.rho, ESKER_FLOAT64, lo, kExtent, data), ESKER_INVALID_ARGUMENT,
             "put its patches with a level");
  CHECK_OK(r.ds, esker_begin_step(r.ds, 0)); /* fields in different patches: known when the step ends */
  CHECK_OK(r.ds, PUT(r.rho, 0, lo, kRatios));
  CHECK_FAILS(r.ds, esker_end_step(r.ds), ESKER_INVALID_ARGUMENT, "patches");
#undef PUT_BUFFERED
#undef PUT
#undef FAILS_WITH
  CHECK_OK(r.ds, esker_begin_step(r.ds, 0)); /* the dataset is still intact */
  put_all(w, &r, patches);
  CHECK_OK(r.ds, esker_end_step(r.ds));
  finish(&r);
}

static void expect_wrong_meshes(const struct world* w) {
  static const char* const axes[2] = {"x", "y"};
  static const char* const nameless[2] = {"x", NULL};
  static const int64_t none[2] = {NX, 0}, odd[2] = {2, 3};
  int grid = -1, field = -1;
  esker_dataset* ds = create_map(w, "wrong_meshes.idx", &field); /* it has the dimensions x and y */
#define DEFINE(name, num_dims, axes, extent, num_levels, ratios, centering, grid) \
  esker_def_mesh(ds, name, num_dims, axes, extent, num_levels, ratios, centering, NULL, NULL, grid)
#define FAILS_WITH(call, code, word) CHECK_FAILS(ds, call, code, word)
  FAILS_WITH(DEFINE(NULL, 2, axes, kExtent, 2, kRatios, 0, &grid), ESKER_INVALID_ARGUMENT, "name is NULL");
  FAILS_WITH(DEFINE("m", 2, NULL, kExtent, 2, kRatios, 0, &grid), ESKER_INVALID_ARGUMENT, "axes is NULL");
  FAILS_WITH(DEFINE("m", 2, nameless, kExtent, 2, kRatios, 0, &grid), ESKER_INVALID_ARGUMENT,
             "the name of an axis is NULL");
  FAILS_WITH(DEFINE("m", 2, axes, NULL, 2, kRatios, 0, &grid), ESKER_INVALID_ARGUMENT, "extent is NULL");
  FAILS_WITH(DEFINE("m", 2, axes, kExtent, 2, NULL, 0, &grid), ESKER_INVALID_ARGUMENT, "ratios is NULL");
  FAILS_WITH(DEFINE("m", 2, axes, kExtent, 2, kRatios, 0, NULL), ESKER_INVALID_ARGUMENT, "grid is NULL");
  FAILS_WITH(DEFINE("m", 0, axes, kExtent, 2, kRatios, 0, &grid), ESKER_INVALID_ARGUMENT, "0 axes");
  FAILS_WITH(DEFINE("m", 6, axes, kExtent, 2, kRatios, 0, &grid), ESKER_INVALID_ARGUMENT, "6 axes");
  FAILS_WITH(DEFINE("m", 2, axes, kExtent, 0, kRatios, 0, &grid), ESKER_INVALID_ARGUMENT, "0 levels");
  FAILS_WITH(DEFINE("m", 2, axes, none, 2, kRatios, 0, &grid), ESKER_INVALID_ARGUMENT,
             "extent 0 of axis 'y'");
  FAILS_WITH(DEFINE("m", 2, axes, kExtent, 2, odd, 0, &grid), ESKER_INVALID_ARGUMENT, "ratio 3 of axis 'y'");
  FAILS_WITH(DEFINE("m", 2, axes, kExtent, 2, kRatios, 2, &grid), ESKER_INVALID_ARGUMENT, "centering 2");
  FAILS_WITH(DEFINE("m", 2, axes, kExtent, 2, kRatios, 0, &grid), ESKER_ALREADY_EXISTS, "'x'");
  FAILS_WITH(esker_inq_mesh(ds, 0, &grid, NULL, NULL, NULL, NULL, NULL), ESKER_NOT_FOUND,
             "grid 'map' is not that of a mesh");
  FAILS_WITH(esker_inq_mesh_level(ds, 0, 0, NULL, NULL), ESKER_NOT_FOUND, "grid 'map'");
  FAILS_WITH(esker_inq_nested(ds, 0, &grid), ESKER_NOT_FOUND, "grid 'map'");
  FAILS_WITH(esker_def_nested(ds, 0), ESKER_INVALID_ARGUMENT, "grid 'map' is not that of a mesh");
  FAILS_WITH(esker_end_step(ds), ESKER_INVALID_ARGUMENT, "name is NULL");
  CHECK_OK(ds, esker_begin_step(ds, 0));
  FAILS_WITH(esker_put_level(ds, field, 0, ESKER_FLOAT32, none, none, kOrigin, NULL, 0),
             ESKER_INVALID_ARGUMENT, "not on a mesh");
  FAILS_WITH(esker_end_step(ds), ESKER_INVALID_ARGUMENT, "not on a mesh");
#undef FAILS_WITH
#undef DEFINE
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

#ifdef ESKER_HAVE_HDF5
/* What VTKHDF files cannot hold. */
static void expect_limits_of_whole_levels(const struct world* w) {
  static const char* const axes[4] = {"x", "y", "z", "p"};
  static const int64_t extent[4] = {2, 2, 2, 2};
  int grid = -1, field = -1;
  esker_dataset* ds = create(w, "limits.vtkhdf.series");
  CHECK_FAILS(ds, esker_def_mesh(ds, "m", 4, axes, extent, 1, NULL, ESKER_AT_CELLS, NULL, NULL, &grid),
              ESKER_UNSUPPORTED, "mesh 'm': 4 axes, but VTKHDF files (format=vtkhdf) hold at most 3");
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_UNSUPPORTED, "with format=idx");
  CHECK_OK(ds, esker_def_mesh(ds, "m", 3, axes, extent, 1, NULL, ESKER_AT_CELLS, NULL, NULL, &grid));
  CHECK_OK(ds, esker_def_field(ds, grid, "f", ESKER_FLOAT32, 1, ESKER_EVERY_STEP, &field));
  CHECK_OK(ds, esker_def_compression(ds, field, "zip"));
  CHECK_OK(ds, esker_begin_step(ds, 0));
  CHECK_FAILS(ds, esker_end_step(ds), ESKER_INVALID_ARGUMENT,
              "field 'f': compression zip: VTKHDF files cannot be compressed");
  CHECK_FAILS(ds, esker_close(ds), ESKER_INVALID_ARGUMENT, "with format=idx");
  esker_free(ds);
}
#endif

/* Samples at nodes; of a mesh with one level, without origin and spacing. */
static void expect_nodes(const struct world* w) {
  static const char* const axes[2] = {"x", "y"};
  static const char* const other_axes[1] = {"q"};
  int64_t extent[2] = {0, 0}, ratios[2] = {7, 7};
  double origin[2] = {7, 7}, spacing[2] = {7, 7};
  int grid = -1, line = -1, num_levels = -1;
  esker_centering centering = -1;
  esker_dataset* ds = create(w, "nodes.idx");
  CHECK_OK(ds, esker_def_mesh(ds, "amr", 2, axes, kExtent, 2, kRatios, ESKER_AT_NODES, NULL, NULL, &grid));
  CHECK_OK(ds,
           esker_def_mesh(ds, "line", 1, other_axes, kExtent, 1, NULL, ESKER_AT_CELLS, NULL, NULL, &line));
  CHECK_OK(ds, esker_inq_mesh_level(ds, grid, 0, extent, ratios));
  CHECK(extent[0] == NX + 1 && extent[1] == NY + 1 && ratios[0] == RX && ratios[1] == RY);
  CHECK_OK(ds, esker_inq_mesh_level(ds, grid, 1, extent, ratios));
  CHECK(extent[0] == FINE_NX + 1 && extent[1] == FINE_NY + 1 && ratios[0] == 1);
  CHECK_OK(ds, esker_inq_mesh(ds, grid, NULL, extent, NULL, &centering, origin, spacing));
  CHECK(extent[0] == NX && extent[1] == NY && centering == ESKER_AT_NODES);
  CHECK(origin[0] == 0 && origin[1] == 0 && spacing[0] == 1 && spacing[1] == 1);
  ratios[0] = 7;
  CHECK_OK(ds, esker_inq_mesh(ds, line, &num_levels, extent, ratios, &centering, NULL, NULL));
  CHECK(num_levels == 1 && extent[0] == NX && ratios[0] == 7 && centering == ESKER_AT_CELLS);
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

/* A promise that a patch of level 1 beyond those of level 0 breaks. */
static void expect_nested(const struct world* w) {
  static const int64_t lo[2] = {0, 0}, half[2] = {NX / 2, NY}, inside[2] = {FINE_NX / 2, FINE_NY},
                       beyond[2] = {FINE_NX / 2 + 1, FINE_NY};
  static const double data[FINE_NX * FINE_NY] = {0};
  const int64_t none[2] = {0, 0};
  int nested = -1, attempt;
  struct run r;
  start(w, &r, "nested.idx");
  CHECK_OK(r.ds, esker_inq_nested(r.ds, r.grid, &nested));
  CHECK(nested == 0);
  CHECK_OK(r.ds, esker_def_nested(r.ds, r.grid));
  CHECK_OK(r.ds, esker_inq_nested(r.ds, r.grid, &nested));
  CHECK(nested == 1);
  for (attempt = 0; attempt < 2; ++attempt) {
    const int64_t* fine_extent = w->rank > 0 ? none : attempt == 0 ? beyond : inside;
    int field;
    CHECK_OK(r.ds, esker_begin_step(r.ds, 0));
    for (field = 0; field < 2; ++field) {
      CHECK_OK(r.ds, esker_put_buffered_level(r.ds, field, 0, ESKER_FLOAT64, lo, w->rank > 0 ? none : half,
                                              data, NULL, 0));
      CHECK_OK(r.ds, esker_put_buffered_level(r.ds, field, 1, ESKER_FLOAT64, lo, fine_extent, data, NULL, 0));
    }
    if (attempt == 0)
      CHECK_FAILS(r.ds, esker_end_step(r.ds), ESKER_INVALID_ARGUMENT,
                  "level 1: the patch [0,13) x [0,10) is not nested in level 0");
    else
      CHECK_OK(r.ds, esker_end_step(r.ds));
  }
  finish(&r);
}

void test_mesh(const struct world* w) {
  write_levels(w, "levels.idx");
  read_levels(w);
#ifdef ESKER_HAVE_HDF5
  write_levels(w, "levels.vtkhdf.series");
  read_whole_levels(w);
  read_level_of_an_earlier_step(w);
  expect_limits_of_whole_levels(w);
#endif
  expect_wrong_patches(w);
  expect_wrong_meshes(w);
  expect_nodes(w);
  expect_nested(w);
}
