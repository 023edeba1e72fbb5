// subtract: what remains of a box without the samples of another.
#pragma once

#include <vector>

#include "esker/types/box.hpp"

namespace esker {

/// Appends to `rest` the samples of `from` that are not in `what`, as at most 2 * rank disjoint boxes; `from`
/// itself if the two are disjoint. Both have the same rank. Nothing is appended for an empty box. Pure.
void subtract(const Box& from, const Box& what, std::vector<Box>& rest);

}  // namespace esker
