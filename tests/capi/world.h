/* The C tests: cases are functions that run on all ranks of a world, alone or under mpiexec. */
#ifndef ESKER_TESTS_CAPI_WORLD_H
#define ESKER_TESTS_CAPI_WORLD_H

#include "esker/esker.h"

struct world {
  const esker_comm* comm; /* NULL without MPI */
  int rank, size;
  const char* directory; /* of the datasets, the same on all ranks */
};

/* Counts a failure of this rank, and prints where and what. */
void report_failure(const char* file, int line, const char* what, const char* message);
int num_failures(void);

#define CHECK(condition)                                                  \
  do {                                                                    \
    if (!(condition)) report_failure(__FILE__, __LINE__, #condition, ""); \
  } while (0)

/* A call with `ds` that succeeds. */
#define CHECK_OK(ds, call)                                                                \
  do {                                                                                    \
    if ((call) != ESKER_OK) report_failure(__FILE__, __LINE__, #call, esker_message(ds)); \
  } while (0)

/* A call with `ds` that fails with this status and a message that contains `word`. */
#define CHECK_FAILS(ds, call, expected, word) check_fails(__FILE__, __LINE__, #call, ds, call, expected, word)
void check_fails(const char* file, int line, const char* what, esker_dataset* ds, esker_status status,
                 esker_status expected, const char* word);

/* directory/name; valid until the fourth call after this one. */
const char* path_of(const struct world* w, const char* name);
/* Options for small datasets: small blocks, no report; existing datasets are replaced. */
esker_options* small_options(void);
/* A new dataset, with small_options(). */
esker_dataset* create(const struct world* w, const char* name);
/* The same with one grid "map" of 13 x 7 samples and one float32 field "thk"; `*field` is its number. */
esker_dataset* create_map(const struct world* w, const char* name, int* field);
/* This rank's part of x in [0, 13): columns [lo, lo + extent). */
void my_columns(const struct world* w, int64_t* lo, int64_t* extent);
/* One step of create_map's dataset, all samples of which are `value`; the status of esker_end_step. */
esker_status write_map(const struct world* w, esker_dataset* ds, int field, double time, float value);
/* Opens the dataset and checks times and values of such steps, from 0 on. */
void expect_map(const struct world* w, const char* name, int num_steps, const double* times,
                const float* values);

void test_library(const struct world* w);
void test_options(const struct world* w);
void test_round_trip(const struct world* w);
void test_typed(const struct world* w);
void test_together(const struct world* w);
void test_compression(const struct world* w);
void test_keep(const struct world* w);
void test_mesh(const struct world* w);
void test_types(const struct world* w);
void test_append(const struct world* w);
void test_asynchronous(const struct world* w);
void test_several(const struct world* w);
void test_reports(const struct world* w);
void test_errors(const struct world* w);
void test_one_rank_fails(const struct world* w);
void test_order(const struct world* w);
void test_nulls(const struct world* w);
void test_verify(const struct world* w);
void test_decompositions(const struct world* w);
void test_plan(const struct world* w);
void test_view(const struct world* w);

/* Runs all cases; the number of failures on this rank. */
int run_all(const struct world* w);

#endif
