// Dimensions of netCDF in an HDF5 file: dimension scales. Within run_session(); failures are thrown.
// Source: "NetCDF-4 Format" in the netCDF User's Guide, and HDF5's "Dimension Scale Specification".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/netcdf/hdf5/attributes.h"
#include "formats/netcdf/model/header.h"

namespace esker::hdf5 {

/// Attributes of the netCDF library: the number of a dimension, and the numbers of a variable's dimensions.
inline constexpr const char* kDimensionNumber = "_Netcdf4Dimid";
inline constexpr const char* kVariableDimensions = "_Netcdf4Coordinates";
/// Its prefix of a variable's name, see path_of().
inline constexpr std::string_view kNoCoordinatePrefix = "_nc4_non_coord_";

/// The name that attributes use for an object: `path` from `from` on.
hobj_ref_t reference_to(hid_t from, const std::string& path);

/// Identifies the program that made the file, for the netCDF library.
void write_properties(hid_t file);

/// The variable that has the name of the dimension and no other dimension.
std::optional<int> variable_of_dimension(const netcdf::Header& header, int dim);
/// The dataset of a variable: its name, with netCDF's prefix if it has the name of a dimension that it is not
/// defined on alone, which has a dataset of that name.
std::string path_of(const netcdf::Header& header, const netcdf::Variable& variable);
/// The extents of a variable, slowest axis first.
std::vector<hsize_t> extents_of(const netcdf::Header& header, const netcdf::Variable& variable);
/// A dataset without values, for a dimension that has no variable.
void create_bare_dimension(hid_t file, const netcdf::Header& header, int dim);
/// Makes the dataset of a coordinate variable a dimension scale; leaves other datasets unchanged.
void mark_scale(hid_t dataset, const netcdf::Header& header, const netcdf::Variable& variable);
/// Writes which dimensions a variable has, for the netCDF library.
void write_dimension_numbers(hid_t dataset, const netcdf::Variable& variable);
/// Attaches the scales to the dimensions of all variables, and the reverse references. Called last.
void link_dimensions(hid_t file, const netcdf::Header& header);

}  // namespace esker::hdf5
