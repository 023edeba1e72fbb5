#include "adaptive/level_parts.h"

#include <algorithm>
#include <array>

namespace esker {
namespace {

using VisitPart = std::function<void(const Box&, KeptLevel)>;

/// A face of a box: the samples from `at` on are on one side.
struct Face {
  int axis = 0;
  Index at = 0;
};

/// On the axis with the most faces inside of `region`, the middle one. `boxes` are parts of the region, and
/// none of them is all of it.
Face middle_face(const Box& region, std::span<const LevelBox> boxes) {
  std::array<std::vector<Index>, kMaxRank> faces;
  for (const LevelBox& level_box : boxes) {
    for (int a = 0; a < region.rank; ++a) {
      if (level_box.box.lo[a] > region.lo[a]) faces[a].push_back(level_box.box.lo[a]);
      if (level_box.box.hi[a] < region.hi[a]) faces[a].push_back(level_box.box.hi[a]);
    }
  }
  const auto most = std::max_element(faces.begin(), faces.end(),
                                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const auto middle = most->begin() + static_cast<std::ptrdiff_t>(most->size() / 2);
  std::nth_element(most->begin(), middle, most->end());
  return {static_cast<int>(most - faces.begin()), *middle};
}

/// `level`: of a box that contains the region.
void divide(const Box& region, std::span<const LevelBox> boxes, KeptLevel level, const VisitPart& visit) {
  for (const LevelBox& level_box : boxes) {
    if (level_box.box.contains(region)) level = std::max(level, level_box.level);
  }
  std::vector<LevelBox> finer;
  for (const LevelBox& level_box : boxes) {
    if (level_box.level <= level) continue;
    const Box inside = intersect(level_box.box, region);
    if (!inside.empty()) finer.push_back({inside, level_box.level});
  }
  if (finer.empty()) {
    if (level != kNotKept) visit(region, level);
    return;
  }
  const Face face = middle_face(region, finer);
  Box half = region;
  half.hi[face.axis] = face.at;
  divide(half, finer, level, visit);
  half = region;
  half.lo[face.axis] = face.at;
  divide(half, finer, level, visit);
}

}  // namespace

void for_each_level_part(const Box& region, std::span<const LevelBox> boxes, const VisitPart& visit) {
  if (!region.empty()) divide(region, boxes, kNotKept, visit);
}

}  // namespace esker
