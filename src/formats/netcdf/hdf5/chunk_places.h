// Finds file offsets of values, so that they can be read without the library. For use within run_session();
// throws on failure.
#pragma once

#include <optional>
#include <vector>

#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/hdf5/source.h"

namespace esker::hdf5 {

/// Whether a dataset stores its values as numbers of this machine: StoredVariable::is_plain.
bool is_plain(hid_t dataset);

/// See Source::places.
std::optional<std::vector<Index>> chunk_places(hid_t file, const StoredVariable& variable, SampleType type,
                                               Index record);

}  // namespace esker::hdf5
