// Describes the contents of an HDF5 file of any program in terms of netCDF's data model. For use within
// run_session(); throws on failure.
//
// Dimensions are HDF5's dimension scales, as created by the netCDF library, h5py and others. Axes without a
// scale get dimensions with netCDF's names, phony_dim_0 ... The record dimension is the first dimension that
// is unlimited and the slowest of a variable. docs/formats/netcdf4.md, section 4.
#pragma once

#include <string>
#include <vector>

#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/hdf5/source.h"
#include "formats/netcdf/model/header.h"

namespace esker::hdf5 {

struct Contents {
  netcdf::Header header;                  ///< names of group members contain the group's name and '/'
  std::vector<StoredVariable> variables;  ///< [position in header.variables]
  std::string parts;                  ///< the attribute kPartsAttribute; a copy with all values has it, too
  std::vector<std::string> left_out;  ///< what netCDF's classic model or Esker does not support, and why
};

/// Sizes in the file are checked against `file_bytes`. Memory: the attributes and the names.
Contents read_contents(hid_t file, Index file_bytes);

/// The maximum number of values of one variable to read at once. More cannot fit in a file of that size, even
/// with the best possible compression.
Index most_values(Index file_bytes, Index value_bytes);

}  // namespace esker::hdf5
