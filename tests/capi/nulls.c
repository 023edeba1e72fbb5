/* A NULL argument is an error, never a crash, unless it is allowed. */
#include <stdlib.h>
#include <string.h>

#include "world.h"

/* Every function that takes a dataset. */
static void null_datasets(void) {
  const int64_t i[ESKER_MAX_RANK] = {0};
  const double d = 0;
  int n = 0;
  const int dims[1] = {0};
  int64_t out[ESKER_MAX_RANK];
  const char* text = NULL;
  const int64_t* integers = NULL;
  const double* reals = NULL;
  esker_step_report last;
  esker_read_report read;
  esker_kept_report kept;
  esker_stored_samples stored;
  esker_verify_report verified;
  esker_part part;
  esker_dataset* const none = NULL;
  const esker_status codes[] = {esker_close(none),
                                esker_def_dim(none, "x", 1, &n),
                                esker_def_grid(none, "g", 1, dims, &n),
                                esker_def_mesh(none, "m", 1, &text, i, 1, i, 0, &d, &d, &n),
                                esker_def_coords(none, 0, 0, &d, 1),
                                esker_def_field(none, 0, "f", ESKER_INT8, 1, 1, &n),
                                esker_put_att_text(none, ESKER_DATASET, 0, "a", "b"),
                                esker_put_att_texts(none, ESKER_DATASET, 0, "a", &text, 1),
                                esker_put_att_int64(none, ESKER_DATASET, 0, "a", i, 1),
                                esker_put_att_double(none, ESKER_DATASET, 0, "a", &d, 1),
                                esker_begin_step(none, 0),
                                esker_put(none, 0, ESKER_INT8, i, i, i),
                                esker_put_strided(none, 0, ESKER_INT8, i, i, i, i, 0),
                                esker_put_buffered(none, 0, ESKER_INT8, i, i, i, i, 0),
                                esker_put_level(none, 0, 0, ESKER_INT8, i, i, i, i, 0),
                                esker_put_buffered_level(none, 0, 0, ESKER_INT8, i, i, i, i, 0),
                                esker_set_stream(none, NULL),
                                esker_keep_level(none, ESKER_GRID, 0, 0),
                                esker_keep_boxes(none, ESKER_GRID, 0, 1, i, i, 0, 0),
                                esker_keep_range(none, ESKER_GRID, 0, 0, 0, 1, 0, 0, 0),
                                esker_keep_levels(none, ESKER_GRID, 0, i, i, (const int8_t*)i, i, 0),
                                esker_end_step(none),
                                esker_end_step_async(none),
                                esker_flush(none),
                                esker_rewind(none, 0),
                                esker_fail(none, ESKER_INTERNAL, ""),
                                esker_abandon(none, ESKER_INTERNAL, ""),
                                esker_inq_last_step(none, &last),
                                esker_inq_last_kept(none, &kept),
                                esker_inq_last_kept_field(none, 0, &n, &stored),
                                esker_report_text(none, &text),
                                esker_report_json(none, &text),
                                esker_request(none, 0, 0, i, i, 0, out, 8),
                                esker_request_strided(none, 0, ESKER_INT8, 0, i, i, out, i, 0),
                                esker_read(none),
                                esker_inq_last_read(none, &read),
                                esker_inq_num_dims(none, &n),
                                esker_inq_dim(none, 0, &text, out),
                                esker_inq_dim_id(none, "x", &n),
                                esker_inq_num_grids(none, &n),
                                esker_inq_grid(none, 0, &text, &n, &n),
                                esker_inq_grid_id(none, "g", &n),
                                esker_inq_mesh(none, 0, &n, out, out, &n, NULL, NULL),
                                esker_inq_mesh_level(none, 0, 0, out, out),
                                esker_def_nested(none, 0),
                                esker_inq_nested(none, 0, &n),
                                esker_inq_whole_levels(none, 0, &n),
                                esker_inq_coords(none, 0, 0, &reals, out),
                                esker_inq_num_fields(none, &n),
                                esker_inq_field(none, 0, &text, &n, &n, &n, &n),
                                esker_inq_field_id(none, "f", &n),
                                esker_inq_box(none, 0, out, out),
                                esker_inq_steps(none, out, &reals),
                                esker_inq_num_atts(none, ESKER_DATASET, 0, &n),
                                esker_inq_att_name(none, ESKER_DATASET, 0, 0, &text),
                                esker_inq_att(none, ESKER_DATASET, 0, "a", &n, out),
                                esker_get_att_text(none, ESKER_DATASET, 0, "a", &text),
                                esker_get_att_int64(none, ESKER_DATASET, 0, "a", &integers, out),
                                esker_get_att_double(none, ESKER_DATASET, 0, "a", &reals, out),
                                esker_inq_has(none, 0, 0, &n),
                                esker_inq_errors(none, 0, 0, &n, NULL, NULL),
                                esker_inq_stored_samples(none, 0, 0, &n, &stored),
                                esker_inq_patches(none, 0, 0, out, &n, out, out),
                                esker_inq_level_covers(none, 0, 0, &n, out, out, out),
                                esker_set_missing(none, 0, ESKER_MISSING_FILL),
                                esker_set_mesh_level(none, 0, 0),
                                esker_get_levels(none, 0, 0, i, i, 0, (int8_t*)out, 8),
                                esker_inq_max_level(none, 0, &n),
                                esker_inq_selection(none, 0, 0, i, i, 0, out, out, out),
                                esker_get(none, 0, 0, i, i, 0, out, 8),
                                esker_inq_num_parts(none, &n),
                                esker_inq_part(none, 0, &part),
                                esker_inq_part_field(none, 0, 0, &text),
                                esker_inq_num_warnings(none, &n),
                                esker_inq_warning(none, 0, &text),
                                esker_inq_storage(none, out, out),
                                esker_verify(none, NULL, NULL, &verified),
                                esker_inq_finding(none, 0, &n, &text, &text),
                                esker_options_load(NULL),
                                esker_options_set(NULL, "overwrite", "true"),
                                esker_options_inq_num(NULL, &n),
                                esker_options_inq(NULL, 0, &text, &text, &text, &text),
                                esker_comm_rank(NULL, NULL),
                                esker_comm_size(NULL, NULL)};
  size_t c;
  for (c = 0; c < sizeof codes / sizeof codes[0]; ++c) {
    if (codes[c] != ESKER_INVALID_ARGUMENT) {
      CHECK(codes[c] == ESKER_INVALID_ARGUMENT);
      CHECK_FAILS(none, (esker_status)c, ESKER_INVALID_ARGUMENT, "which call");
    }
  }
  CHECK(strcmp(esker_message(NULL), "the dataset is NULL") == 0);
  CHECK(strcmp(esker_options_message(NULL), "the options are NULL") == 0);
  esker_free(NULL);
  esker_options_free(NULL);
  esker_comm_free(NULL);
}

#define NULL_FAILS(call, name) CHECK_FAILS(ds, call, ESKER_INVALID_ARGUMENT, name " is NULL")

static void null_arguments_of_a_writer(const struct world* w) {
  const int64_t one = 1;
  const double real = 1;
  static const char* const texts[2] = {"b", NULL};
  int n = -1, field = -1;
  esker_dataset* ds = create_map(w, "nulls.idx", &field);
  const int dims[1] = {0};
  NULL_FAILS(esker_def_dim(ds, NULL, 1, &n), "name");
  NULL_FAILS(esker_def_dim(ds, "q", 1, NULL), "dim");
  NULL_FAILS(esker_def_grid(ds, NULL, 1, dims, &n), "name");
  NULL_FAILS(esker_def_grid(ds, "q", 1, NULL, &n), "dims");
  NULL_FAILS(esker_def_grid(ds, "q", 1, dims, NULL), "grid");
  NULL_FAILS(esker_def_coords(ds, 0, 0, NULL, 13), "values");
  NULL_FAILS(esker_def_field(ds, 0, NULL, ESKER_INT8, 1, 1, &n), "name");
  NULL_FAILS(esker_def_field(ds, 0, "q", ESKER_INT8, 1, 1, NULL), "field");
  NULL_FAILS(esker_put_att_text(ds, ESKER_DATASET, 0, NULL, "b"), "name");
  NULL_FAILS(esker_put_att_text(ds, ESKER_DATASET, 0, "a", NULL), "text");
  NULL_FAILS(esker_put_att_texts(ds, ESKER_DATASET, 0, NULL, texts, 1), "name");
  NULL_FAILS(esker_put_att_texts(ds, ESKER_DATASET, 0, "a", NULL, 1), "texts");
  NULL_FAILS(esker_put_att_texts(ds, ESKER_DATASET, 0, "a", texts, 2), "texts[1]");
  NULL_FAILS(esker_put_att_int64(ds, ESKER_DATASET, 0, NULL, &one, 1), "name");
  NULL_FAILS(esker_put_att_int64(ds, ESKER_DATASET, 0, "a", NULL, 1), "values");
  NULL_FAILS(esker_put_att_double(ds, ESKER_DATASET, 0, NULL, &real, 1), "name");
  NULL_FAILS(esker_put_att_double(ds, ESKER_DATASET, 0, "a", NULL, 1), "values");
  NULL_FAILS(esker_fail(ds, ESKER_INTERNAL, NULL), "message");
  NULL_FAILS(esker_inq_last_step(ds, NULL), "report");
  NULL_FAILS(esker_inq_last_kept(ds, NULL), "report");
  NULL_FAILS(esker_inq_last_kept_field(ds, field, NULL, NULL), "is_sparse");
  NULL_FAILS(esker_end_step(ds), "def_dim: name");
  CHECK_OK(ds, write_map(w, ds, field, 0, 1));
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

static void null_results(const struct world* w) {
  esker_dataset* ds = NULL;
  int n = -1;
  const char* text = NULL;
  CHECK_OK(ds, esker_open(path_of(w, "round_trip.idx"), 0, &ds));
  NULL_FAILS(esker_inq_num_dims(ds, NULL), "num");
  NULL_FAILS(esker_inq_num_grids(ds, NULL), "num");
  NULL_FAILS(esker_inq_num_fields(ds, NULL), "num");
  NULL_FAILS(esker_inq_dim_id(ds, NULL, &n), "name");
  NULL_FAILS(esker_inq_dim_id(ds, "x", NULL), "dimension");
  NULL_FAILS(esker_inq_grid_id(ds, NULL, &n), "name");
  NULL_FAILS(esker_inq_field_id(ds, NULL, &n), "name");
  NULL_FAILS(esker_inq_num_atts(ds, ESKER_DATASET, 0, NULL), "num");
  NULL_FAILS(esker_inq_att_name(ds, ESKER_DATASET, 0, 0, NULL), "name");
  NULL_FAILS(esker_inq_att(ds, ESKER_DATASET, 0, NULL, NULL, NULL), "name");
  NULL_FAILS(esker_get_att_text(ds, ESKER_DATASET, 0, NULL, &text), "name");
  NULL_FAILS(esker_get_att_text(ds, ESKER_DATASET, 0, "title", NULL), "text");
  NULL_FAILS(esker_get_att_int64(ds, ESKER_GRID, 1, NULL, NULL, NULL), "name");
  NULL_FAILS(esker_get_att_double(ds, ESKER_FIELD, 0, NULL, NULL, NULL), "name");
  NULL_FAILS(esker_inq_has(ds, 0, 0, NULL), "has");
  NULL_FAILS(esker_inq_errors(ds, 0, 0, NULL, NULL, NULL), "is_lossy");
  NULL_FAILS(esker_inq_max_level(ds, 0, NULL), "level");
  NULL_FAILS(esker_inq_num_parts(ds, NULL), "num");
  NULL_FAILS(esker_inq_part(ds, 0, NULL), "info");
  NULL_FAILS(esker_inq_part_field(ds, 0, 0, NULL), "name");
  NULL_FAILS(esker_inq_num_warnings(ds, NULL), "num");
  NULL_FAILS(esker_inq_warning(ds, 0, NULL), "text");
  NULL_FAILS(esker_verify(ds, NULL, NULL, NULL), "report");
  /* Of several results, each may be NULL. */
  CHECK_OK(ds, esker_inq_dim(ds, 0, NULL, NULL));
  CHECK_OK(ds, esker_inq_grid(ds, 0, NULL, NULL, NULL));
  CHECK_OK(ds, esker_inq_field(ds, 0, NULL, NULL, NULL, NULL, NULL));
  CHECK_OK(ds, esker_inq_coords(ds, 1, 0, NULL, NULL));
  CHECK_OK(ds, esker_inq_box(ds, 0, NULL, NULL));
  CHECK_OK(ds, esker_inq_steps(ds, NULL, NULL));
  CHECK_OK(ds, esker_inq_att(ds, ESKER_DATASET, 0, "title", NULL, NULL));
  CHECK_OK(ds, esker_get_att_int64(ds, ESKER_GRID, 1, "history", NULL, NULL));
  CHECK_OK(ds, esker_get_att_double(ds, ESKER_FIELD, 0, "range", NULL, NULL));
  CHECK_OK(ds, esker_inq_selection(ds, 0, 0, NULL, NULL, 0, NULL, NULL, NULL));
  CHECK_OK(ds, esker_inq_storage(ds, NULL, NULL));
  esker_free(ds);
  CHECK(esker_open(path_of(w, "round_trip.idx"), 0, NULL) == ESKER_INVALID_ARGUMENT);
  CHECK(esker_create(path_of(w, "q.idx"), w->comm, NULL, NULL) == ESKER_INVALID_ARGUMENT);
}

void test_nulls(const struct world* w) {
  null_datasets();
  null_arguments_of_a_writer(w);
  null_results(w);
}
