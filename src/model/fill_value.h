// Fill values of fields: what samples are that no rank put.
#pragma once

#include <cstddef>
#include <vector>

#include "esker/types/schema.hpp"

namespace esker {

inline constexpr const char* kFillValueAttribute = "_FillValue";
/// CF's older attribute for values that are no samples.
inline constexpr const char* kMissingValueAttribute = "missing_value";

/// An attribute of one number as bytes of the field's type; empty if there is none that the type can
/// represent.
std::vector<std::byte> attribute_value(const Field& field, const char* name);

/// The attribute _FillValue, likewise; without it, the fill value that netCDF has for the type. One
/// component.
std::vector<std::byte> fill_value(const Field& field);

}  // namespace esker
