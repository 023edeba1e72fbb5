/* The C tests on the ranks of an MPI job: capi_mpi DIRECTORY. Every rank's failure fails the program. */
#include <stdio.h>
#include <stdlib.h>

#include "esker/esker_mpi.h"
#include "world.h"

/* With the mpiexec of another MPI, each rank would be in a world of size 1. */
static int world_has_expected_size(int size) {
  const char* expected = getenv("ESKER_TEST_RANKS");
  return expected && atoi(expected) == size;
}

static void test_communicators(int rank, int size) {
  esker_comm* comm = NULL;
  esker_dataset* ds = NULL;
  int found = -1;
  CHECK(esker_comm_from_mpi(MPI_COMM_NULL, &comm) == ESKER_INVALID_ARGUMENT);
  /* A communicator that could not be made returns its error from all calls, and is not a group of one. */
  CHECK(esker_comm_rank(comm, &found) == ESKER_INVALID_ARGUMENT && found == -1);
  CHECK(esker_comm_size(comm, &found) == ESKER_INVALID_ARGUMENT && found == -1);
  CHECK_FAILS(ds, esker_create("never.idx", comm, NULL, &ds), ESKER_INVALID_ARGUMENT, "MPI_COMM_NULL");
  esker_free(ds);
  esker_comm_free(comm);
  comm = NULL;
  CHECK(esker_comm_from_fortran(MPI_Comm_c2f(MPI_COMM_WORLD), &comm) == ESKER_OK);
  CHECK(esker_comm_rank(comm, &found) == ESKER_OK && found == rank);
  CHECK(esker_comm_size(comm, &found) == ESKER_OK && found == size);
  CHECK(esker_comm_rank(comm, NULL) == ESKER_INVALID_ARGUMENT);
  esker_comm_free(comm);
  /* An error on one rank must not give the others a communicator in which they would hang. */
  comm = NULL;
  CHECK(esker_comm_from_mpi(MPI_COMM_WORLD, rank == size - 1 ? NULL : &comm) == ESKER_INVALID_ARGUMENT);
  CHECK(rank == size - 1 || esker_comm_size(comm, &found) == ESKER_INVALID_ARGUMENT);
  esker_comm_free(comm);
}

int main(int argc, char** argv) {
  struct world w = {NULL, 0, 1, NULL};
  esker_comm* comm = NULL;
  int failed;
  CHECK(esker_comm_from_mpi(MPI_COMM_SELF, &comm) == ESKER_WRONG_ORDER);
  esker_comm_free(comm);
  CHECK(esker_comm_from_fortran(0, &comm) == ESKER_WRONG_ORDER);
  esker_comm_free(comm);
  comm = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &w.size);
  if (argc != 2 || !world_has_expected_size(w.size)) {
    fprintf(stderr, "usage: mpiexec -n N %s DIRECTORY, with ESKER_TEST_RANKS=N\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  test_communicators(w.rank, w.size);
  CHECK(esker_comm_from_mpi(MPI_COMM_WORLD, &comm) == ESKER_OK);
  w.comm = comm;
  w.directory = argv[1];
  run_all(&w);
  esker_comm_free(comm);
  failed = num_failures() > 0;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
