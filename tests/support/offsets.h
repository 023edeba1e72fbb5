// The offset of each index of an axis.
#pragma once

#include <vector>

#include "grid/copy_samples.h"

namespace esker::testing_support {

inline std::vector<Index> offsets(const SampleMap& map, int axis) {
  std::vector<Index> offsets;
  for (Index i = 0; i < map.axis(axis).count; ++i) offsets.push_back(map.offset(axis, i));
  return offsets;
}

}  // namespace esker::testing_support
