/* All ranks write one step of one field together: mpiexec -n 4 write_c */
#include <stdio.h>

#include "esker/esker_mpi.h"

int main(int argc, char** argv) {
  static float thickness[100 * 300];
  int rank, size, i, failed, dims[2] = {0, 0}, grid = 0, thk = 0;
  esker_comm* comm;
  esker_dataset* ds;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (i = 0; i < 100 * 300; ++i) thickness[i] = 1.0F + (float)rank;
  /* [README */
  int64_t lo[2] = {0, 100 * rank}, extent[2] = {300, 100}; /* this rank's box, x first */
  esker_comm_from_mpi(MPI_COMM_WORLD, &comm);
  esker_create("run.idx", comm, NULL, &ds); /* NULL: built-in options */
  esker_def_dim(ds, "x", 300, &dims[0]);
  esker_def_dim(ds, "y", 100 * size, &dims[1]);
  esker_def_grid(ds, "map", 2, dims, &grid);
  esker_def_field(ds, grid, "thk", ESKER_FLOAT32, 1, ESKER_EVERY_STEP, &thk);
  esker_begin_step(ds, 0.0);
  esker_put(ds, thk, ESKER_FLOAT32, lo, extent, thickness); /* any number of patches per rank */

  failed = esker_end_step(ds) || esker_close(ds); /* with the errors of all calls above */
  if (failed) fprintf(stderr, "rank %d: %s\n", rank, esker_message(ds));
  esker_free(ds);
  /* README] */
  esker_comm_free(comm);
  MPI_Finalize();
  return failed;
}
