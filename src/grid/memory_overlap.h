// find_memory_overlap: checks whether strides map two samples to the same memory.
#pragma once

#include <array>
#include <optional>

#include "esker/types/box.hpp"
#include "esker/types/patch.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// Two components of samples that share bytes, relative to the patch's box.lo.
struct MemoryOverlap {
  Point first{}, second{};
  int first_component = 0, second_component = 0;
};

/// Two values of the patch, which has `components` per sample, whose bytes overlap. Axes with stride 0 are
/// ignored if the patch repeats its samples along them. Exact for every nested layout, up to small steps. For
/// tangled strides the search stops after a bounded amount of work and returns nothing. Pure, allocates
/// nothing.
std::optional<MemoryOverlap> find_memory_overlap(const Patch& patch, int components);

/// kInvalidArgument that names two values that share memory.
Status check_memory(const Patch& patch, int components);

}  // namespace esker
