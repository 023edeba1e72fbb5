// Names for what steps store in addition to the fields of a dataset. Pure.
#pragma once

#include <string>

#include "esker/types/schema.hpp"

namespace esker {

/// A name that the schema does not have: `begin`, which may be shortened, followed by `end`.
std::string free_name(const Schema& schema, const std::string& begin, const std::string& end);

}  // namespace esker
