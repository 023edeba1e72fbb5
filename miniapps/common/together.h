// Ranks that fail together: an error on one rank is thrown on all ranks, so that none waits in a collective
// call.
#pragma once

#include <mpi.h>

#include <exception>
#include <stdexcept>
#include <string>

namespace miniapp {

/// An error that all ranks throw at the same place.
struct AgreedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Collective: throws AgreedError if any rank's `error` is not empty, with the lowest failing rank and
/// its text. Ranks call it after local work, before they continue.
void agree(MPI_Comm comm, const std::string& error);

/// Turns the outcome of a collective call, the same on all ranks, into an exception. `Status` is Esker's.
template <class Status>
void check_all(const Status& status) {
  if (!status.ok()) throw AgreedError(status.message());
}

/// Runs `work` on each rank and agrees on the outcome: if it throws anywhere, all ranks throw.
template <class F>
void together(MPI_Comm comm, F&& work) {
  std::string error;
  try {
    work();
  } catch (const std::exception& e) {
    error = e.what();
    if (error.empty()) error = "unknown error";
  }
  agree(comm, error);
}

}  // namespace miniapp
