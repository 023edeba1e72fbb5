// Fill values of fields: what samples are that no rank put.
#pragma once

#include <cstddef>
#include <vector>

#include "esker/types/schema.hpp"

namespace esker {

/// The attribute _FillValue as bytes of the field's type; empty if there is none that the type can represent.
std::vector<std::byte> attribute_fill_value(const Field& field);

/// The same; without the attribute, the fill value that netCDF has for the type. One component.
std::vector<std::byte> fill_value(const Field& field);

}  // namespace esker
