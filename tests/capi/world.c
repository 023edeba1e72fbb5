#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
static int this_rank = 0;

void report_failure(const char* file, int line, const char* what, const char* message) {
  ++failures;
  fprintf(stderr, "rank %d: %s:%d: %s\n    %s\n", this_rank, file, line, what, message);
}

int num_failures(void) { return failures; }

void check_fails(const char* file, int line, const char* what, esker_dataset* ds, esker_status status,
                 esker_status expected, const char* word) {
  const char* message = esker_message(ds);
  char text[512];
  if (status == expected && strstr(message, word)) return;
  snprintf(text, sizeof text, "got %s (%s), expected %s with '%s'", esker_strerror(status), message,
           esker_strerror(expected), word);
  report_failure(file, line, what, text);
}

const char* path_of(const struct world* w, const char* name) {
  static char paths[4][1024];
  static int next = 0;
  char* path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", w->directory, name);
  return path;
}

esker_options* small_options(void) {
  esker_options* options = NULL;
  CHECK(esker_options_new(&options) == ESKER_OK);
  CHECK(esker_options_set(options, "overwrite", "true") == ESKER_OK);
  CHECK(esker_options_set(options, "report", "none") == ESKER_OK);
  CHECK(esker_options_set(options, "bits_per_block", "6") == ESKER_OK);
  CHECK(esker_options_set(options, "blocks_per_file", "4") == ESKER_OK);
  return options;
}

esker_dataset* create(const struct world* w, const char* name) {
  esker_options* options = small_options();
  esker_dataset* ds = NULL;
  CHECK_OK(ds, esker_create(path_of(w, name), w->comm, options, &ds));
  esker_options_free(options);
  return ds;
}

esker_dataset* create_map(const struct world* w, const char* name, int* field) {
  esker_dataset* ds = create(w, name);
  int dims[2], grid;
  CHECK_OK(ds, esker_def_dim(ds, "x", 13, &dims[0]));
  CHECK_OK(ds, esker_def_dim(ds, "y", 7, &dims[1]));
  CHECK_OK(ds, esker_def_grid(ds, "map", 2, dims, &grid));
  CHECK_OK(ds, esker_def_field(ds, grid, "thk", ESKER_FLOAT32, 1, ESKER_EVERY_STEP, field));
  return ds;
}

void my_columns(const struct world* w, int64_t* lo, int64_t* extent) {
  *lo = (int64_t)13 * w->rank / w->size;
  *extent = (int64_t)13 * (w->rank + 1) / w->size - *lo;
}

esker_status write_map(const struct world* w, esker_dataset* ds, int field, double time, float value) {
  int64_t lo[2] = {0, 0}, extent[2] = {0, 7};
  float samples[13 * 7];
  int i;
  esker_status status;
  my_columns(w, &lo[0], &extent[0]);
  for (i = 0; i < 13 * 7; ++i) samples[i] = value;
  esker_begin_step(ds, time);
  esker_put(ds, field, ESKER_FLOAT32, lo, extent, samples);
  status = esker_end_step(ds); /* with the errors of the two before */
  return status;
}

void expect_map(const struct world* w, const char* name, int num_steps, const double* times,
                const float* values) {
  esker_dataset* ds = NULL;
  const double* found_times = NULL;
  int64_t found_steps = -1;
  int s, i, field = -1;
  float samples[13 * 7];
  CHECK_OK(ds, esker_open(path_of(w, name), ESKER_OPEN_VERIFY, &ds));
  CHECK_OK(ds, esker_inq_steps(ds, &found_steps, &found_times));
  CHECK(found_steps == num_steps);
  CHECK_OK(ds, esker_inq_field_id(ds, "thk", &field));
  for (s = 0; s < num_steps && s < found_steps; ++s) {
    CHECK(found_times[s] == times[s]);
    CHECK_OK(ds, esker_get(ds, field, s, NULL, NULL, ESKER_FULL_LEVEL, samples, sizeof samples));
    for (i = 0; i < 13 * 7; ++i) CHECK(samples[i] == values[s]);
  }
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}

int run_all(const struct world* w) {
  static const struct {
    const char* name;
    void (*run)(const struct world* w);
  } cases[] = {{"library", test_library},
               {"options", test_options},
               {"round_trip", test_round_trip},
               {"typed", test_typed},
               {"together", test_together},
               {"compression", test_compression},
               {"keep", test_keep},
               {"mesh", test_mesh},
               {"types", test_types},
               {"append", test_append},
               {"asynchronous", test_asynchronous},
               {"several", test_several},
               {"reports", test_reports},
               {"errors", test_errors},
               {"one_rank_fails", test_one_rank_fails},
               {"order", test_order},
               {"nulls", test_nulls},
               {"verify", test_verify},
               {"decompositions", test_decompositions},
               {"plan", test_plan},
               {"view", test_view}};
  size_t c;
  this_rank = w->rank;
  for (c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
    const int before = failures;
    cases[c].run(w);
    if (w->rank == 0) printf("%s: %s\n", cases[c].name, failures == before ? "ok" : "FAILED");
  }
  return failures;
}
