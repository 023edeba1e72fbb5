// Definitions as text, for comparing those of the ranks and showing their differences.
#pragma once

#include <string>

#include "esker/types/schema.hpp"

namespace esker {

/// Dimensions, grids and fields in one line.
std::string describe_schema(const Schema& schema);

}  // namespace esker
