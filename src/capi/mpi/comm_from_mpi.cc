// Communicators of MPI for C and Fortran: part of the library esker_mpi.
#include <memory>
#include <new>

#include "capi/handle.h"
#include "esker/esker_mpi.h"
#include "esker/mpi.hpp"

using esker::Code;
using esker::Status;

namespace {

Status check_usable(MPI_Comm comm) {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (!initialised || finalised) return {Code::kWrongOrder, "comm_from_mpi: MPI is not running"};
  if (comm == MPI_COMM_NULL)
    return {Code::kInvalidArgument, "comm_from_mpi: the communicator is MPI_COMM_NULL"};
  return {};
}

/// Collective: a rank without memory, or without a place for the result, must not leave the others alone with
/// the communicator.
Status duplicate(MPI_Comm comm, esker_comm* made, esker_comm** out) {
  const Status mine = esker::guarded("comm_from_mpi", [&]() -> Status {
    esker::Communicator group = esker::mpi_communicator(comm);
    if (!made) return esker::out_of_memory("comm_from_mpi");
    made->group = std::move(group);
    return esker::capi::check_given("comm_from_mpi", {{out, "out"}});
  });
  int code = esker::capi::code_of(mine);
  MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, comm);
  if (code == ESKER_OK || !mine.ok()) return mine;
  return {static_cast<Code>(code), "comm_from_mpi: it failed on another rank"};
}

}  // namespace

extern "C" {

esker_status esker_comm_from_mpi(MPI_Comm comm, esker_comm** out) {
  std::unique_ptr<esker_comm> made(new (std::nothrow) esker_comm());
  Status status = esker::guarded("comm_from_mpi", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_usable(comm));
    return duplicate(comm, made.get(), out);
  });
  const esker_status code = esker::capi::code_of(status);
  if (made && code != ESKER_OK) *made = {std::nullopt, std::move(status)};
  if (out) *out = made.release();
  return code;
}

esker_status esker_comm_from_fortran(MPI_Fint comm, esker_comm** out) {
  return esker_comm_from_mpi(check_usable(MPI_COMM_SELF).ok() ? MPI_Comm_f2c(comm) : MPI_COMM_NULL, out);
}

}  // extern "C"
