#include "model/patch_order.h"

#include <algorithm>
#include <utility>

namespace esker {

std::span<const MeshBox> patches_of_grid(const PatchesOfMeshes& patches, int grid) {
  const auto g = static_cast<std::size_t>(grid);
  return g < patches.size() && patches[g] ? std::span(*patches[g]) : std::span<const MeshBox>();
}

Index size_bytes(const PatchesOfMeshes& patches) {
  Index bytes = 0;
  for (const auto& of_grid : patches) {
    if (of_grid) bytes += static_cast<Index>(of_grid->capacity() * sizeof(MeshBox));
  }
  return bytes;
}

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
  return {std::ranges::lower_bound(patches, level, {}, &MeshBox::level),
          std::ranges::upper_bound(patches, level, {}, &MeshBox::level)};
}

}  // namespace esker
