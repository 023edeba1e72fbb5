// The MPI-IO back end: files that are written go through MPI's own file calls.
#pragma once

#include <memory>
#include <string>

#include "esker/status.hpp"
#include "store/store.h"

namespace esker {

/// A store whose files are opened for writing by MPI-IO, each by one rank for itself (MPI_COMM_SELF), with
/// `hints` ("name=value;name=value"); what is read, renamed or removed is so by `beside`. Every byte of a
/// file has one writer, and all calls are independent ones of contiguous bytes: there is nothing to sieve.
/// Local. Source: MPI 3.1, chapter 13.
std::shared_ptr<Store> mpi_io_store(std::shared_ptr<Store> beside, const std::string& hints);

}  // namespace esker
