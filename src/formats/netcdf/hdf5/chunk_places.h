// Where values stand in a file, so that they can be read past the library. Within run_session(); failures are
// thrown.
#pragma once

#include <optional>
#include <vector>

#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/hdf5/source.h"

namespace esker::hdf5 {

/// Whether the values of a dataset stand in the file as numbers of this machine: StoredVariable::is_plain.
bool is_plain(hid_t dataset);

/// As Source::places.
std::optional<std::vector<Index>> chunk_places(hid_t file, const StoredVariable& variable, SampleType type,
                                               Index record);

}  // namespace esker::hdf5
