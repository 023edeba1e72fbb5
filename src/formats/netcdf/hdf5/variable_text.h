// Variable-length texts. For use within run_session(); throws on failure.
//
// HDF5 1.10 does not validate the reference of such a text before it follows it, so a damaged file would
// crash the program. This code asks the library for the reference only, and reads the text itself.
#pragma once

#include <string>

#include "formats/netcdf/hdf5/session.h"

namespace esker::hdf5 {

/// The only value of an attribute whose type is a variable-length text.
std::string read_variable_text(hid_t attribute);

}  // namespace esker::hdf5
