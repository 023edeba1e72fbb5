// write_mpi DATASET: two ranks write a dataset, rank 0 reads it.
#include "esker/mpi.hpp"
#include "round_trip.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n_ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 2 || n_ranks != 2) return 2;  // a world of one: mpiexec belongs to another MPI
  write_slabs(argv[1], esker::mpi_communicator(MPI_COMM_WORLD));
  const int different = rank == 0 ? compare(argv[1]) : 0;
  MPI_Finalize();
  return different == 0 ? 0 : 1;
}
