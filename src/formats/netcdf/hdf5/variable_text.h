// Texts of variable length. Within run_session(); failures are thrown.
//
// HDF5 1.10 does not look where such a text points before it reads there, and a damaged file would end the
// program. So the library is asked for the reference alone, and the text is read here.
#pragma once

#include <string>

#include "formats/netcdf/hdf5/session.h"

namespace esker::hdf5 {

/// The only value of an attribute whose type is a text of variable length.
std::string read_variable_text(hid_t attribute);

}  // namespace esker::hdf5
