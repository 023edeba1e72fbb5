// Reads values of a dataset. For use within run_session(); throws on failure.
#pragma once

#include <cstddef>
#include <string>

#include "esker/types/sample_type.hpp"
#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/hdf5/source.h"

namespace esker::hdf5 {

/// The native number type of this machine.
hid_t memory_type(SampleType type);

/// See Source::read. If the dataset has several axes, the selection must exist completely along the first
/// one. Along the other axes, and in a dataset of one axis, missing values read as the fill value.
void read_slab(hid_t file, const std::string& dataset, SampleType type, const Slab& slab, std::byte* out);

}  // namespace esker::hdf5
