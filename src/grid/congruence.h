// Where two regular rows of points meet.
#pragma once

#include <optional>

#include "esker/box.hpp"

namespace esker {

/// The points first + i * stride of one axis, i any integer.
struct PointRow {
  Index first = 0, stride = 1;
};

/// The smallest i >= `from` for which the i-th point of `row` is one of `other`; nothing if they never meet.
/// From there they meet again every other.stride / gcd(strides) points of `row`. O(log stride).
std::optional<Index> first_meeting(const PointRow& row, const PointRow& other, Index from);

}  // namespace esker
