// The number of samples of boxes that may be larger than memory or files, such as the levels of a mesh.
#pragma once

#include <limits>
#include <optional>

#include "base/checked.h"
#include "esker/types/box.hpp"

namespace esker {

/// Nothing if it exceeds 64 bits.
inline std::optional<Index> checked_num_samples(const Box& box) {
  if (box.empty()) return 0;
  std::optional<Index> samples = 1;
  for (int a = 0; a < box.rank; ++a) {
    if (samples) samples = checked_mul(*samples, box.extent(a));
  }
  return samples;
}

/// The number, or the largest Index if it exceeds 64 bits.
inline Index num_samples_at_most(const Box& box) {
  return checked_num_samples(box).value_or(std::numeric_limits<Index>::max());
}

}  // namespace esker
