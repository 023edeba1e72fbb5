// Ranks that fail together: an error of one is thrown on all, so that none is left waiting in a collective.
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
/// its text. What each rank did alone is agreed here before the ranks go on.
void agree(MPI_Comm comm, const std::string& error);

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
