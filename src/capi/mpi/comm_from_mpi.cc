// Communicators of MPI for C and Fortran: part of the library esker_mpi, which uses only the public interface
// of a shared libesker.
#include <memory>
#include <new>

#include "capi/handle.h"
#include "esker/esker_mpi.h"
#include "esker/mpi.hpp"

using esker::Code;
using esker::Status;

namespace {

/// What `work` returns; an exception becomes a Status (without allocating memory, if memory ran out).
template <class Work>
Status caught(const Work& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return {Code::kOutOfMemory, "out of memory"};
  } catch (const std::exception&) {
    return {Code::kInternal, "exception"};
  }
}

bool is_mpi_running() {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return initialised && !finalised;
}

Status check_usable(MPI_Comm comm) {
  if (!is_mpi_running()) return {Code::kWrongOrder, "comm_from_mpi: MPI is not running"};
  if (comm == MPI_COMM_NULL)
    return {Code::kInvalidArgument, "comm_from_mpi: the communicator is MPI_COMM_NULL"};
  int between_groups = 0;
  MPI_Comm_test_inter(comm, &between_groups);
  if (between_groups)
    return {Code::kInvalidArgument,
            "comm_from_mpi: expected an intra-communicator, found an inter-communicator"};
  return {};
}

/// Collective: if one rank has no memory, or NULL for the result, no rank may keep the communicator.
Status duplicate(MPI_Comm comm, esker_comm* made, esker_comm** out) {
  const Status mine = caught([&]() -> Status {
    esker::Communicator group = esker::mpi_communicator(comm);
    if (!made) throw std::bad_alloc();
    made->group = std::move(group);
    return out ? Status() : Status(Code::kInvalidArgument, "comm_from_mpi: out is NULL");
  });
  int code = esker::capi::code_of(mine);
  MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, comm);
  if (code == ESKER_OK || !mine.ok()) return mine;
  return {static_cast<Code>(code), "comm_from_mpi: another rank failed"};
}

}  // namespace

extern "C" {

esker_status esker_comm_from_mpi(MPI_Comm comm, esker_comm** out) {
  std::unique_ptr<esker_comm> made(new (std::nothrow) esker_comm());
  Status status = caught([&] {
    const Status usable = check_usable(comm);
    return usable.ok() ? duplicate(comm, made.get(), out) : usable;
  });
  const esker_status code = esker::capi::code_of(status);
  if (made && code != ESKER_OK) *made = {std::nullopt, std::move(status)};
  if (out) *out = made.release();
  return code;
}

esker_status esker_comm_from_fortran(MPI_Fint comm, esker_comm** out) {
  return esker_comm_from_mpi(is_mpi_running() ? MPI_Comm_f2c(comm) : MPI_COMM_NULL, out);
}

void esker_fortran_comm(const MPI_Fint* comm, esker_comm** out, esker_status* ierr) {
  const esker_status code = esker_comm_from_fortran(*comm, out);
  if (ierr) *ierr = code;
}

}  // extern "C"
