// Variable-length texts. For use within run_session(); throws on failure.
//
// HDF5 1.10 does not validate the reference of such a text before it follows it, so a damaged file would
// crash the program. This code asks the library for the reference only, and reads the text itself.
#pragma once

#include <string>
#include <vector>

#include "formats/netcdf/hdf5/session.h"

namespace esker::hdf5 {

/// The `n` values of an attribute whose type is a variable-length text.
std::vector<std::string> read_variable_texts(hid_t attribute, std::size_t n);

}  // namespace esker::hdf5
