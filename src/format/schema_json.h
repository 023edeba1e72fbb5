// A schema as JSON: the file beside an .idx, an attribute of a CDF file.
//
// Reals that JSON lacks are "NaN", "Infinity", "-Infinity".
#pragma once

#include <cstddef>
#include <string>

#include "esker/schema.hpp"
#include "esker/status.hpp"

namespace esker {

inline constexpr std::size_t kMaxSidecarBytes = std::size_t{64} << 20;  ///< larger texts are refused

/// The whole schema, keys in a fixed order: the same schema gives the same bytes, and
/// parse_schema(print_schema(s)) is s again. Attributes have passed check_attribute. `netcdf_suffix`: of the
/// NetCDF file next to an IDX dataset that the same steps are written to; "": there is none.
std::string print_schema(const Schema& schema, const std::string& netcdf_suffix = "");
/// That of print_schema(); "" also for a text that cannot be read.
std::string netcdf_suffix_of(const std::string& json);
/// The same in one line, without coordinates, and without attributes but those of grids and of dimensions
/// that have no coordinates.
std::string print_schema_outline(const Schema& schema);
/// Errors: kDataLoss (what was expected, what was found), kUnsupported (a newer format).
Result<Schema> parse_schema(const std::string& json);

}  // namespace esker
