// Common points of two regular rows of points.
#pragma once

#include <optional>

#include "esker/types/box.hpp"

namespace esker {

/// The points first + i * stride of one axis, i any integer.
struct PointRow {
  Index first = 0, stride = 1;
};

/// The smallest i >= `from` for which the i-th point of `row` is a point of `other`; nothing if there is
/// none. After that, every (other.stride / gcd(strides))-th point of `row` is one. O(log stride).
std::optional<Index> first_meeting(const PointRow& row, const PointRow& other, Index from);

}  // namespace esker
