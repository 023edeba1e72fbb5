// Reading values of a dataset. Within run_session(); failures are thrown.
#pragma once

#include <cstddef>
#include <string>

#include "esker/sample_type.hpp"
#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/hdf5/source.h"

namespace esker::hdf5 {

/// Numbers of this machine.
hid_t memory_type(SampleType type);

/// As Source::read. Along the first axis of several, all that is asked for has to be there; a dataset of one
/// axis, and the other axes, go on with the fill value.
void read_slab(hid_t file, const std::string& dataset, SampleType type, const Slab& slab, std::byte* out);

}  // namespace esker::hdf5
