/* A C program that forgets to close its datasets: MPI_Finalize discards open steps and releases the locks.

     mpiexec -n N forget_close_c DIRECTORY      */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "esker/esker_mpi.h"
#include "world.h"

/* One per format; the communicator of the last one is freed by the program. */
static const char* const names[] = {"a.idx", "b.nc", "c.nc",
#ifdef ESKER_HAVE_HDF5
                                    "d.nc4",
#endif
                                    "e.idx"};
static const char* const formats[] = {"idx", "cdf5", "cdf5+idx",
#ifdef ESKER_HAVE_HDF5
                                      "netcdf4",
#endif
                                      "idx"};
enum { NUM_DATASETS = sizeof names / sizeof names[0] };

/* One committed step, and an open one. */
static esker_dataset* leave_open(const struct world* w, const char* name, const char* format) {
  esker_options* options = small_options();
  esker_dataset* ds = NULL;
  int dims[2], grid = -1, field = -1;
  int64_t lo[2] = {0, 0}, extent[2] = {0, 7};
  float samples[13 * 7] = {0};
  CHECK(esker_options_set(options, "format", format) == ESKER_OK);
  CHECK_OK(ds, esker_create(path_of(w, name), w->comm, options, &ds));
  CHECK_OK(ds, esker_def_dim(ds, "x", 13, &dims[0]));
  CHECK_OK(ds, esker_def_dim(ds, "y", 7, &dims[1]));
  CHECK_OK(ds, esker_def_grid(ds, "map", 2, dims, &grid));
  CHECK_OK(ds, esker_def_field(ds, grid, "thk", ESKER_FLOAT32, 1, ESKER_EVERY_STEP, &field));
  CHECK(write_map(w, ds, field, 0, 1) == ESKER_OK);
  my_columns(w, &lo[0], &extent[0]);
  CHECK_OK(ds, esker_begin_step(ds, 1));
  CHECK_OK(ds, esker_put(ds, field, ESKER_FLOAT32, lo, extent, samples));
  esker_options_free(options);
  return ds;
}

static int count_locks(const char* directory) {
  DIR* folder = opendir(directory);
  const struct dirent* entry;
  int num = 0;
  CHECK(folder != NULL);
  if (!folder) return -1;
  while ((entry = readdir(folder)) != NULL) num += strstr(entry->d_name, ".esker-lock") != NULL;
  closedir(folder);
  return num;
}

/* In the same process, so that the lock is not that of a process that has ended. */
static void expect_one_step(const struct world* w, const char* name, const char* format) {
  esker_options* options = small_options();
  esker_dataset* ds = NULL;
  int64_t num = -1;
  CHECK(esker_options_set(options, "format", format) == ESKER_OK);
  CHECK_OK(ds, esker_append(path_of(w, name), NULL, options, &ds));
  CHECK_OK(ds, esker_inq_steps(ds, &num, NULL));
  CHECK(num == 1);
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  esker_options_free(options);
}

int main(int argc, char** argv) {
  struct world w = {NULL, 0, 1, NULL};
  esker_comm *comm = NULL, *freed = NULL;
  esker_dataset* datasets[NUM_DATASETS];
  int i;
  if (argc != 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &w.size);
  w.directory = argv[1];
  mkdir(w.directory, 0777);
  CHECK(esker_comm_from_mpi(MPI_COMM_WORLD, &comm) == ESKER_OK);
  CHECK(esker_comm_from_mpi(MPI_COMM_WORLD, &freed) == ESKER_OK);
  for (i = 0; i < NUM_DATASETS; ++i) {
    w.comm = i == NUM_DATASETS - 1 ? freed : comm;
    datasets[i] = leave_open(&w, names[i], formats[i]);
  }
  esker_comm_free(freed);
  CHECK(count_locks(w.directory) == NUM_DATASETS);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();

  for (i = 0; i < NUM_DATASETS; ++i) {
    CHECK_FAILS(datasets[i], esker_end_step(datasets[i]), ESKER_WRONG_ORDER, "MPI has been finalized");
    CHECK(esker_close(datasets[i]) == ESKER_WRONG_ORDER);
    esker_free(datasets[i]);
  }
  esker_comm_free(comm);
  if (w.rank == 0) {
    CHECK(count_locks(w.directory) == 0);
    for (i = 0; i < NUM_DATASETS; ++i) expect_one_step(&w, names[i], formats[i]);
  }
  return num_failures() > 0;
}
