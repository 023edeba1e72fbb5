#include "adaptive/level_parts.h"

#include <algorithm>
#include <array>
#include <iterator>

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

/// The parts of boxes that are in the region.
std::vector<LevelBox> parts_inside(const Box& region, std::span<const LevelBox> boxes) {
  std::vector<LevelBox> parts;
  for (const LevelBox& level_box : boxes) {
    const Box inside = intersect(level_box.box, region);
    if (!inside.empty()) parts.push_back({inside, level_box.level});
  }
  return parts;
}

/// The boxes of the lowest level.
std::vector<LevelBox> lowest(std::span<const LevelBox> boxes) {
  const auto by_level = [](const LevelBox& a, const LevelBox& b) { return a.level < b.level; };
  const KeptLevel level = std::min_element(boxes.begin(), boxes.end(), by_level)->level;
  std::vector<LevelBox> found;
  std::copy_if(boxes.begin(), boxes.end(), std::back_inserter(found),
               [&](const LevelBox& box) { return box.level == level; });
  return found;
}

/// The two parts of a region on both sides of a face.
std::array<Box, 2> halves(const Box& region, const Face& face) {
  std::array<Box, 2> sides{region, region};
  sides[0].hi[face.axis] = face.at;
  sides[1].lo[face.axis] = face.at;
  return sides;
}

void divide_outside(const Box& region, std::span<const LevelBox> boxes,
                    const std::function<void(const Box&)>& visit) {
  const auto covers = [&](const LevelBox& box) { return box.box.contains(region); };
  if (std::any_of(boxes.begin(), boxes.end(), covers)) return;
  const std::vector<LevelBox> inside = parts_inside(region, boxes);
  if (inside.empty()) {
    visit(region);
    return;
  }
  for (const Box& half : halves(region, middle_face(region, lowest(inside)))) {
    divide_outside(half, inside, visit);
  }
}

/// `level`: of a box that contains the region.
void divide(const Box& region, std::span<const LevelBox> boxes, KeptLevel level, const VisitPart& visit) {
  for (const LevelBox& level_box : boxes) {
    if (level_box.box.contains(region)) level = std::max(level, level_box.level);
  }
  std::vector<LevelBox> finer = parts_inside(region, boxes);
  std::erase_if(finer, [&](const LevelBox& box) { return box.level <= level; });
  if (finer.empty()) {
    if (level != kNotKept) visit(region, level);
    return;
  }
  for (const Box& half : halves(region, middle_face(region, finer))) divide(half, finer, level, visit);
}

}  // namespace

void for_each_level_part(const Box& region, std::span<const LevelBox> boxes, const VisitPart& visit) {
  if (!region.empty()) divide(region, boxes, kNotKept, visit);
}

void for_each_part_outside(const Box& region, std::span<const LevelBox> boxes,
                           const std::function<void(const Box&)>& visit) {
  if (!region.empty()) divide_outside(region, boxes, visit);
}

}  // namespace esker
