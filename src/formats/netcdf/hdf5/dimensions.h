// Dimensions of netCDF in an HDF5 file: dimension scales. Within run_session(); failures are thrown.
// Source: "NetCDF-4 Format" in the netCDF User's Guide, and HDF5's "Dimension Scale Specification".
#pragma once

#include <optional>

#include "formats/netcdf/hdf5/attributes.h"
#include "formats/netcdf/model/header.h"

namespace esker::hdf5 {

/// Attributes of the netCDF library: the number of a dimension, and those of a variable's dimensions.
inline constexpr const char* kDimensionNumber = "_Netcdf4Dimid";
inline constexpr const char* kVariableDimensions = "_Netcdf4Coordinates";

/// By which attributes name an object, `path` from `from` on.
hobj_ref_t reference_to(hid_t from, const std::string& path);

/// Who made the file, for the netCDF library.
void write_properties(hid_t file);

/// The variable that is named like the dimension and has that one alone.
std::optional<int> variable_of_dimension(const netcdf::Header& header, int dim);
/// A dataset without values, for a dimension that has no variable.
void create_bare_dimension(hid_t file, const netcdf::Header& header, int dim);
/// Makes the dataset of a variable of a dimension the scale that it is; leaves others alone.
void mark_scale(hid_t dataset, const netcdf::Header& header, const netcdf::Variable& variable);
/// Which dimensions a variable has, for the netCDF library.
void write_dimension_numbers(hid_t dataset, const netcdf::Variable& variable);
/// Which scales the dimensions of all variables have, and the reverse; last.
void link_dimensions(hid_t file, const netcdf::Header& header);

}  // namespace esker::hdf5
