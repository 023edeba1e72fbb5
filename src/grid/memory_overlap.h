// find_memory_overlap: whether strides send two samples to the same memory.
#pragma once

#include <array>
#include <optional>

#include "esker/box.hpp"
#include "esker/patch.hpp"
#include "esker/status.hpp"

namespace esker {

/// Two components of samples that share bytes, counted from the patch's box.lo.
struct MemoryOverlap {
  Point first{}, second{};
  int first_component = 0, second_component = 0;
};

/// A pair of values of the patch, of `components` each, whose bytes overlap. Axes along which the stride is 0
/// are left out if the patch repeats its samples along them. Exact for every layout that nests, up to small
/// steps; the search ends after a bounded amount of work, with nothing, for tangled strides. Pure, allocates
/// nothing.
std::optional<MemoryOverlap> find_memory_overlap(const Patch& patch, int components);

/// kInvalidArgument that names two values which share memory.
Status check_memory(const Patch& patch, int components);

}  // namespace esker
