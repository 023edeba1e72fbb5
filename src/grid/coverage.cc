#include "grid/coverage.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace esker {

namespace {

using BoxIds = std::vector<int>;

/// A plane that splits a cell in two: [lo, at) and [at, hi) on `axis`.
struct Plane {
  int axis;
  Index at;
};

BoxIds meeting(const std::vector<Box>& boxes, const Box& cell, const BoxIds& candidates) {
  BoxIds out;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(out),
               [&](int id) { return !intersect(boxes[id], cell).empty(); });
  return out;
}

/// The median of the faces strictly inside `cell`, on the axis that has most of them. Every box that
/// intersects a cell without containing it has such a face; at least one does.
Plane median_face(const std::vector<Box>& boxes, const Box& cell, const BoxIds& ids) {
  std::array<std::vector<Index>, kMaxRank> faces;
  for (const int id : ids) {
    for (int a = 0; a < cell.rank; ++a) {
      for (const Index face : {boxes[id].lo[a], boxes[id].hi[a]}) {
        if (cell.lo[a] < face && face < cell.hi[a]) faces[a].push_back(face);
      }
    }
  }
  const auto most = std::max_element(faces.begin(), faces.end(),
                                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
  assert(!most->empty());
  const auto median = most->begin() + static_cast<std::ptrdiff_t>(most->size() / 2);
  std::nth_element(most->begin(), median, most->end());
  return {static_cast<int>(most - faces.begin()), *median};
}

std::pair<Box, Box> split(const Box& cell, const Plane& plane) {
  std::pair<Box, Box> halves{cell, cell};
  halves.first.hi[plane.axis] = plane.at;
  halves.second.lo[plane.axis] = plane.at;
  return halves;
}

/// The intersection of box `whole`, which contains a cell, with another of the boxes `ids` that intersect it.
CoverageDefect overlap(const std::vector<Box>& boxes, const BoxIds& ids, int whole) {
  const int other = ids[0] == whole ? ids[1] : ids[0];
  return {intersect(boxes[whole], boxes[other]), std::min(whole, other), std::max(whole, other)};
}

/// The first defect in `cell`, which exactly the boxes `ids` intersect. The faces inside the cell on the axis
/// with most faces halve with each step, so the depth is at most rank * log2(4 * boxes).
std::optional<CoverageDefect> defect_in(const std::vector<Box>& boxes, const Box& cell, const BoxIds& ids,
                                        bool may_have_gaps) {
  if (ids.empty()) return may_have_gaps ? std::nullopt : std::optional(CoverageDefect{.where = cell});
  const auto whole = std::find_if(ids.begin(), ids.end(), [&](int id) { return boxes[id].contains(cell); });
  if (whole != ids.end()) {
    if (ids.size() == 1) return std::nullopt;
    return overlap(boxes, ids, *whole);
  }
  const auto [lower, upper] = split(cell, median_face(boxes, cell, ids));
  if (auto defect = defect_in(boxes, lower, meeting(boxes, lower, ids), may_have_gaps)) return defect;
  return defect_in(boxes, upper, meeting(boxes, upper, ids), may_have_gaps);
}

}  // namespace

std::optional<CoverageDefect> find_coverage_defect(const Box& domain, const std::vector<Box>& boxes,
                                                   bool may_have_gaps) {
  if (domain.empty()) return std::nullopt;
  BoxIds all;
  for (std::size_t i = 0; i < boxes.size(); ++i) all.push_back(static_cast<int>(i));
  return defect_in(boxes, domain, meeting(boxes, domain, all), may_have_gaps);
}

namespace {

/// Boxes as what lies between their first and last samples, which is [2 first + 1, 2 last): boxes that share
/// border samples only are disjoint then. A box with one sample along an axis is [2 first, 2 first + 1)
/// there. Coordinates are numbers of corners of boxes in ascending order, so that they cannot overflow.
std::vector<Box> between_corners(const std::vector<Box>& boxes) {
  std::vector<Box> inner = boxes;
  for (int a = 0; a < kMaxRank; ++a) {
    std::vector<Index> corners;
    for (const Box& box : boxes) {
      if (!box.empty() && a < box.rank) corners.insert(corners.end(), {box.lo[a], box.hi[a] - 1});
    }
    std::sort(corners.begin(), corners.end());
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    const auto number_of = [&](Index corner) {
      return static_cast<Index>(std::lower_bound(corners.begin(), corners.end(), corner) - corners.begin());
    };
    for (Box& box : inner) {
      if (box.empty() || a >= box.rank) continue;
      const Index first = 2 * number_of(box.lo[a]), last = 2 * number_of(box.hi[a] - 1);
      box.lo[a] = first == last ? first : first + 1;
      box.hi[a] = first == last ? first + 1 : last;
    }
  }
  return inner;
}

}  // namespace

std::optional<CoverageDefect> find_inner_overlap(const std::vector<Box>& boxes) {
  const auto some = std::find_if(boxes.begin(), boxes.end(), [](const Box& box) { return !box.empty(); });
  if (some == boxes.end()) return std::nullopt;
  Box all(some->rank, {}, {});
  for (int a = 0; a < all.rank; ++a) all.hi[a] = 4 * static_cast<Index>(boxes.size());
  auto found = find_coverage_defect(all, between_corners(boxes), true);
  if (found) {
    found->where = intersect(boxes[static_cast<std::size_t>(found->first)],
                             boxes[static_cast<std::size_t>(found->second)]);
  }
  return found;
}

}  // namespace esker
