// value_name: what texts call one value of a patch.
#pragma once

#include <string>

#include "esker/box.hpp"

namespace esker {

/// "sample (3, 4)", or "component 2 of sample (3, 4)" where there are several; `at` counts from box.lo.
std::string value_name(const Box& box, const Point& at, int component, int components);

}  // namespace esker
