/* Decompositions, plans of steps, and what a camera sees. */
#include <string.h>

#include "world.h"

/* A call with a decomposition that fails; the message has `word` in it. The decomposition is freed. */
static void expect_failure(esker_status status, esker_decomposition* d, esker_status expected,
                           const char* word) {
  CHECK(status == expected);
  CHECK(d != NULL && strstr(esker_decomposition_message(d), word) != NULL);
  esker_decomposition_free(d);
}

static void expect_box(esker_decomposition* d, int64_t part, int64_t x, int64_t y, int64_t nx, int64_t ny) {
  int64_t lo[2] = {-1, -1}, extent[2] = {-1, -1}, found = -1;
  CHECK(esker_decomposition_inq_box(d, part, lo, extent) == ESKER_OK);
  CHECK(lo[0] == x && lo[1] == y && extent[0] == nx && extent[1] == ny);
  CHECK(esker_decomposition_inq_part(d, lo, &found) == ESKER_OK && found == part);
}

static void check_even(void) {
  static const int64_t extent[2] = {10, 4}, parts[2] = {3, 2}, outside[2] = {10, 0};
  esker_decomposition* d = NULL;
  int64_t num_parts = 0, of_axis[2] = {0, 0}, count = 0, part = -1, lo[2];
  const int64_t* cuts = NULL;
  int num_dims = 0;
  CHECK(esker_decompose_even(2, extent, parts, &d) == ESKER_OK);
  CHECK(strcmp(esker_decomposition_message(d), "") == 0);
  CHECK(esker_decomposition_inq(d, &num_dims, &num_parts, of_axis) == ESKER_OK);
  CHECK(num_dims == 2 && num_parts == 6 && of_axis[0] == 3 && of_axis[1] == 2);
  CHECK(esker_decomposition_inq(d, NULL, NULL, NULL) == ESKER_OK);
  CHECK(esker_decomposition_inq_cuts(d, 0, &cuts, &count) == ESKER_OK);
  CHECK(count == 4 && cuts[0] == 0 && cuts[1] == 4 && cuts[2] == 7 && cuts[3] == 10);
  expect_box(d, 0, 0, 0, 4, 2);
  expect_box(d, 4, 4, 2, 3, 2);

  CHECK(esker_decomposition_inq_box(d, 6, lo, lo) == ESKER_OUT_OF_RANGE);
  CHECK(strstr(esker_decomposition_message(d), "part 6 does not exist; the decomposition has 6 parts") != NULL);
  CHECK(esker_decomposition_inq_box(d, -1, lo, lo) == ESKER_OUT_OF_RANGE);
  CHECK(esker_decomposition_inq_cuts(d, 2, &cuts, &count) == ESKER_OUT_OF_RANGE);
  CHECK(esker_decomposition_inq_part(d, outside, &part) == ESKER_OUT_OF_RANGE);
  CHECK(esker_decomposition_inq_part(d, NULL, &part) == ESKER_INVALID_ARGUMENT);
  esker_decomposition_free(d);
}

static void check_others(void) {
  static const int64_t extent[3] = {64, 64, 64}, parts[2] = {2, 1}, cuts[5] = {0, 3, 10, 0, 4};
  esker_decomposition* d = NULL;
  int64_t num_parts = 0, of_axis[3] = {0, 0, 0};
  CHECK(esker_decompose_cuts(2, parts, cuts, &d) == ESKER_OK);
  expect_box(d, 0, 0, 0, 3, 4);
  expect_box(d, 1, 3, 0, 7, 4);
  esker_decomposition_free(d);
  CHECK(esker_decompose_near_cubic(3, extent, 8, &d) == ESKER_OK);
  CHECK(esker_decomposition_inq(d, NULL, &num_parts, of_axis) == ESKER_OK);
  CHECK(num_parts == 8 && of_axis[0] == 2 && of_axis[1] == 2 && of_axis[2] == 2);
  esker_decomposition_free(d);
  CHECK(esker_decompose_pism(3, extent, 4, &d) == ESKER_OK);
  CHECK(esker_decomposition_inq(d, NULL, &num_parts, of_axis) == ESKER_OK);
  CHECK(num_parts == 4 && of_axis[0] == 2 && of_axis[1] == 2 && of_axis[2] == 1);
  esker_decomposition_free(d);
}

static void check_errors(void) {
  static const int64_t extent[2] = {10, 4}, none[2] = {3, 0}, parts[2] = {1, 1},
                       descending[4] = {0, 10, 4, 0};
  esker_decomposition* d = NULL;
  esker_status status = esker_decompose_even(0, extent, parts, &d);
  expect_failure(status, d, ESKER_INVALID_ARGUMENT, "0 dimensions given; expected 1 to 5");
  status = esker_decompose_near_cubic(6, extent, 4, &d);
  expect_failure(status, d, ESKER_INVALID_ARGUMENT, "6 dimensions");
  status = esker_decompose_even(2, NULL, parts, &d);
  expect_failure(status, d, ESKER_INVALID_ARGUMENT, "extent is NULL");
  status = esker_decompose_even(2, extent, none, &d);
  expect_failure(status, d, ESKER_INVALID_ARGUMENT, "0");
  status = esker_decompose_cuts(2, none, descending, &d);
  expect_failure(status, d, ESKER_INVALID_ARGUMENT, "0 parts on axis 1");
  status = esker_decompose_cuts(2, parts, descending, &d);
  expect_failure(status, d, ESKER_INVALID_ARGUMENT, "axis 1");
  status = esker_decompose_pism(2, extent, 0, &d);
  CHECK(esker_decomposition_inq(d, NULL, NULL, NULL) == ESKER_INVALID_ARGUMENT); /* the same error again */
  expect_failure(status, d, ESKER_INVALID_ARGUMENT, "0 ranks");
  CHECK(esker_decompose_pism(2, extent, 4, NULL) == ESKER_INVALID_ARGUMENT);
  CHECK(esker_decomposition_inq(NULL, NULL, NULL, NULL) == ESKER_INVALID_ARGUMENT);
  CHECK(strstr(esker_decomposition_message(NULL), "NULL") != NULL);
  esker_decomposition_free(NULL);
}

void test_decompositions(const struct world* w) {
  (void)w;
  check_even();
  check_others();
  check_errors();
}

void test_plan(const struct world* w) {
  static const int64_t extent[2] = {13, 7}, other[2] = {13, 8};
  esker_decomposition *split = NULL, *wrong = NULL;
  const esker_decomposition* splits[1];
  esker_plan_report report;
  esker_options* options = small_options();
  const char* text = NULL;
  int field = -1;
  esker_dataset* ds = create_map(w, "plan.idx", &field);
  CHECK(esker_decompose_pism(2, extent, 4, &split) == ESKER_OK);
  CHECK(esker_decompose_pism(2, other, 4, &wrong) == ESKER_OK);
  splits[0] = split;
  CHECK_OK(ds, esker_plan_step(ds, 4, splits, 1, options, &report, &text));
  CHECK(report.ranks == 4 && report.data_bytes == 13 * 7 * 4 && report.stored_bytes >= report.data_bytes);
  CHECK(report.writers >= 1 && report.writers <= 4 && report.files >= 1 && report.blocks >= 1);
  CHECK(report.written_bytes.max >= report.written_bytes.min && report.buffer_bytes.max > 0);
  CHECK(text != NULL && strstr(text, "4 ranks") != NULL);
  CHECK_OK(ds, esker_plan_step(ds, 4, splits, 1, NULL, NULL, NULL));

  CHECK_FAILS(ds, esker_plan_step(ds, 4, splits, 0, options, &report, &text), ESKER_INVALID_ARGUMENT,
              "0 decompositions, expected one for each of 1 grids");
  CHECK_FAILS(ds, esker_plan_step(ds, 4, NULL, 1, options, &report, &text), ESKER_INVALID_ARGUMENT, "NULL");
  CHECK_FAILS(ds, esker_plan_step(ds, 3, splits, 1, options, &report, &text), ESKER_INVALID_ARGUMENT,
              "4 parts");
  splits[0] = wrong;
  CHECK_FAILS(ds, esker_plan_step(ds, 4, splits, 1, options, &report, &text), ESKER_INVALID_ARGUMENT, "map");
  esker_decomposition_free(split);
  esker_decomposition_free(wrong);
  esker_options_free(options);
  CHECK(write_map(w, ds, field, 0, 1) == ESKER_OK); /* planning changes nothing */
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

/* Looks down on the middle of the map, with 10 pixels per sample. */
static void look_down(esker_camera* camera) {
  static const double eye[3] = {6, 3, 10}, target[3] = {6, 3, 0}, up[3] = {0, 1, 0};
  CHECK(esker_camera_orthographic(eye, target, up, 8, 1, 20, 140, 80, camera) == ESKER_OK);
  CHECK(camera->width_pixels == 140 && camera->height_pixels == 80);
}

static void check_views(esker_dataset* ds, int field) {
  static const double eye[3] = {6, 3, 10}, away[3] = {6, 3, 20}, up[3] = {0, 1, 0};
  esker_camera camera;
  esker_placement placement;
  esker_view view;
  int level = -1;
  look_down(&camera);
  CHECK_OK(ds, esker_inq_max_level(ds, field, &level));
  CHECK_OK(ds, esker_choose_view(ds, field, &camera, NULL, 1, ESKER_FULL_LEVEL, 1.25, &view));
  CHECK(view.visible == 1 && view.level == level && view.pixels > 9 && view.pixels < 11);
  CHECK(view.lo[0] == 0 && view.lo[1] == 0 && view.extent[0] == 13 && view.extent[1] == 7);
  CHECK_OK(ds, esker_choose_view(ds, field, &camera, NULL, 50, ESKER_FULL_LEVEL, 1.25, &view));
  CHECK(view.visible == 1 && view.level < level);

  CHECK_OK(ds, esker_inq_placement(ds, field, &placement));
  CHECK(placement.origin[0] == 0 && placement.step[0][0] == 1 && placement.step[1][1] == 1);
  placement.origin[0] = 6; /* only the left half of the map is in the picture */
  CHECK_OK(ds, esker_choose_view(ds, field, &camera, &placement, 1, ESKER_FULL_LEVEL, 1.25, &view));
  CHECK(view.visible == 1 && view.lo[0] == 0 && view.extent[0] < 13);

  CHECK(esker_camera_perspective(eye, away, up, 45, 1, 20, 140, 80, &camera) == ESKER_OK);
  CHECK_OK(ds, esker_choose_view(ds, field, &camera, NULL, 1, ESKER_FULL_LEVEL, 1.25, &view));
  CHECK(view.visible == 0);
  CHECK_FAILS(ds, esker_choose_view(ds, field, &camera, NULL, 0, ESKER_FULL_LEVEL, 1.25, &view),
              ESKER_INVALID_ARGUMENT, "0");
  CHECK_FAILS(ds, esker_choose_view(ds, field, NULL, NULL, 1, ESKER_FULL_LEVEL, 1.25, &view),
              ESKER_INVALID_ARGUMENT, "camera is NULL");
  CHECK_FAILS(ds, esker_choose_view(ds, 7, &camera, NULL, 1, ESKER_FULL_LEVEL, 1.25, &view),
              ESKER_OUT_OF_RANGE, "no field has the number 7");
  CHECK_FAILS(ds, esker_inq_placement(ds, field, NULL), ESKER_INVALID_ARGUMENT, "placement is NULL");
  CHECK(esker_camera_perspective(NULL, away, up, 45, 1, 20, 140, 80, &camera) == ESKER_INVALID_ARGUMENT);
  CHECK(esker_camera_orthographic(eye, away, up, 8, 1, 20, 140, 80, NULL) == ESKER_INVALID_ARGUMENT);
}

void test_view(const struct world* w) {
  int field = -1;
  esker_dataset* ds = create_map(w, "view.idx", &field);
  CHECK(write_map(w, ds, field, 0, 1) == ESKER_OK);
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  CHECK_OK(ds, esker_open(path_of(w, "view.idx"), 0, &ds));
  CHECK_OK(ds, esker_inq_field_id(ds, "thk", &field));
  check_views(ds, field);
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}
