// What stands in an HDF5 file, of any program: in terms of netCDF's data model. Within run_session();
// failures are thrown.
//
// Dimensions are HDF5's dimension scales, as the netCDF library, h5py and others make them; axes without one
// get dimensions with the names that netCDF gives them, phony_dim_0 ... The first dimension that has no
// limit, and is the slowest of a variable, is that of the records. docs/formats/netcdf4.md, section 4.
#pragma once

#include <string>
#include <vector>

#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/hdf5/source.h"
#include "formats/netcdf/model/header.h"

namespace esker::hdf5 {

struct Contents {
  netcdf::Header header;                     ///< names have '/' before the names of groups' members
  std::vector<StoredVariable> variables;  ///< [position in header.variables]
  std::vector<std::string> left_out;      ///< what netCDF's classic model or Esker lacks, and why
};

/// `file_bytes` limits what is believed. Memory: that of the attributes, and of names.
Contents read_contents(hid_t file, Index file_bytes);

/// The most values of one variable that are read at once: more do not fit in a file of that size, even
/// compressed as well as can be.
Index most_values(Index file_bytes, Index value_bytes);

}  // namespace esker::hdf5
