// Communicators of MPI for C and Fortran: part of the library esker_mpi.
#include "capi/handle.h"
#include "esker/esker_mpi.h"
#include "esker/mpi.hpp"

namespace {

bool is_mpi_running() {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return initialised && !finalised;
}

/// Collective. A rank without memory, or without a place for the result, must not leave the others alone with
/// the communicator.
esker_status duplicate(MPI_Comm comm, esker_comm** out) {
  esker_comm* made = nullptr;
  int code = esker::capi::code_of(esker::guarded("comm_from_mpi", [&] {
    made = new esker_comm{esker::mpi_communicator(comm)};
    return esker::Status();
  }));
  if (!out) code = ESKER_INVALID_ARGUMENT;
  MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, comm);
  if (code != ESKER_OK) {
    delete made;
    made = nullptr;
  }
  if (out) *out = made;
  return code;
}

}  // namespace

extern "C" {

esker_status esker_comm_from_mpi(MPI_Comm comm, esker_comm** out) {
  if (out) *out = nullptr;
  if (!is_mpi_running()) return ESKER_WRONG_ORDER;
  if (comm == MPI_COMM_NULL) return ESKER_INVALID_ARGUMENT;
  return duplicate(comm, out);
}

esker_status esker_comm_from_fortran(MPI_Fint comm, esker_comm** out) {
  if (out) *out = nullptr;
  return is_mpi_running() ? esker_comm_from_mpi(MPI_Comm_f2c(comm), out) : ESKER_WRONG_ORDER;
}

}  // extern "C"
