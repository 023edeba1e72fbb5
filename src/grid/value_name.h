// value_name: the name of one value of a patch in messages.
#pragma once

#include <string>

#include "esker/types/box.hpp"

namespace esker {

/// "sample (3, 4)", or "component 2 of sample (3, 4)" if there are several; `at` is relative to box.lo.
std::string value_name(const Box& box, const Point& at, int component, int components);

}  // namespace esker
