// Errors of Esker as numbers of PnetCDF.
#pragma once

#include <new>
#include <string>

#include "constants.h"
#include "esker/types/status.hpp"
#include "shared_cdf/shared_file.h"

namespace esker::pnetcdf {

/// Prints a text to stderr, each text once; never if another rank `prints` it.
void warn(const std::string& text, bool prints = true);

/// Warns with the text of an error.
int code_of(const Status& status);
/// After end_definition(): what differs between the ranks, if that is the error.
int code_of(const Status& status, cdf::Mismatch mismatch);

/// What `work` returns; no exception leaves the interface.
template <class Work>
int guarded(const Work& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return NC_ENOMEM;
  } catch (...) {
    return NC_EFILE;
  }
}

}  // namespace esker::pnetcdf
