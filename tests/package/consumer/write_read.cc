// write_read DATASET: writes and reads a dataset, without MPI.
#include "round_trip.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string path = argv[1];
  write_slabs(path, esker::Communicator::serial());
  return compare(path) == 0 && errors_are_caught(path) ? 0 : 1;
}
