// What the numbers of an HDF5 enumeration mean, as attributes. For use within run_session(); throws on
// failure.
#pragma once

#include <vector>

#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/model/header.h"

namespace esker::hdf5 {

/// For a variable whose samples have the type `type` in the file, and are read as `numbers`: dtype="bool" for
/// booleans (as h5py stores them: FALSE = 0, TRUE = 1), flag_values and flag_meanings of the CF conventions
/// for other enumerations, with blanks in names as '_'. Empty for other types.
std::vector<netcdf::Attribute> attributes_of_enumeration(hid_t type, netcdf::Type numbers);

}  // namespace esker::hdf5
