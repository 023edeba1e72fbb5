// The MPI-IO back end: files are written with MPI's file calls.
#pragma once

#include <memory>
#include <string>

#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker {

/// A store that opens files for writing with MPI-IO, each for one rank alone (MPI_COMM_SELF), with `hints`
/// ("name=value;name=value"). The store `inner` does all reading, renaming and removing. Every byte of a
/// file has one writer, and all calls are independent and contiguous, so there is nothing to sieve. Local.
/// Source: MPI 3.1, chapter 13.
std::shared_ptr<Store> mpi_io_store(std::shared_ptr<Store> inner, const std::string& hints);

}  // namespace esker
