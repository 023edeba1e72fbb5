// Definitions as text, for comparing those of the ranks and showing their differences.
#pragma once

#include <string>

#include "esker/types/schema.hpp"

namespace esker {

/// Dimensions, grids and fields in one line.
std::string describe_schema(const Schema& schema);

/// All definitions, for Ballot::arguments_text: the line of describe_schema() with the scalars and the time,
/// then a line for each attribute, value of a scalar and list of coordinates, with a hash of what is too long
/// to show.
std::string describe_definitions(const Schema& schema);

}  // namespace esker
