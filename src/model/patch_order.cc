#include "model/patch_order.h"

#include <algorithm>
#include <utility>

namespace esker {

bool precedes(const MeshBox& a, const MeshBox& b) {
  if (a.level != b.level) return a.level < b.level;
  for (const auto& [one, other] : {std::pair(a.box.lo, b.box.lo), std::pair(a.box.hi, b.box.hi)}) {
    for (int axis = a.box.rank; axis-- > 0;) {
      if (one[axis] != other[axis]) return one[axis] < other[axis];
    }
  }
  return false;
}

std::span<const MeshBox> patches_of_level(std::span<const MeshBox> patches, int level) {
  const auto [first, last] = std::ranges::equal_range(patches, level, {}, &MeshBox::level);
  return {first, last};
}

}  // namespace esker
