#include "plan/box_index.h"

#include <algorithm>
#include <tuple>

namespace esker {
namespace {

constexpr std::size_t kLeafBoxes = 4;

bool meet(const Box& a, const Box& b) {
  for (int axis = 0; axis < a.rank; ++axis) {
    if (std::max(a.lo[axis], b.lo[axis]) >= std::min(a.hi[axis], b.hi[axis])) return false;
  }
  return true;
}

Box bounds_of(const std::vector<HeldBox>& boxes, std::size_t first, std::size_t last) {
  Box bounds = boxes[first].box;
  for (std::size_t b = first + 1; b < last; ++b) {
    for (int a = 0; a < bounds.rank; ++a) {
      bounds.lo[a] = std::min(bounds.lo[a], boxes[b].box.lo[a]);
      bounds.hi[a] = std::max(bounds.hi[a], boxes[b].box.hi[a]);
    }
  }
  return bounds;
}

int longest_axis(const Box& box) {
  int longest = 0;
  for (int a = 1; a < box.rank; ++a) {
    if (box.extent(a) > box.extent(longest)) longest = a;
  }
  return longest;
}

}  // namespace

BoxIndex::BoxIndex(std::vector<HeldBox> boxes) : boxes_(std::move(boxes)) {
  std::erase_if(boxes_, [](const HeldBox& held) { return held.box.empty(); });
  if (!boxes_.empty()) build(0, {0, boxes_.size()});
}

void BoxIndex::build(std::size_t node, Range range) {
  if (bounds_.size() <= node) bounds_.resize(node + 1);
  const Box bounds = bounds_of(boxes_, range.first, range.last);
  bounds_[node] = bounds;
  if (range.last - range.first <= kLeafBoxes) return;
  const int axis = longest_axis(bounds);
  const std::size_t middle = range.first + (range.last - range.first) / 2;
  const auto at = [&](std::size_t b) { return boxes_.begin() + static_cast<std::ptrdiff_t>(b); };
  std::nth_element(at(range.first), at(middle), at(range.last), [axis](const HeldBox& a, const HeldBox& b) {
    return a.box.lo[axis] + a.box.hi[axis] < b.box.lo[axis] + b.box.hi[axis];
  });
  build(2 * node + 1, {range.first, middle});
  build(2 * node + 2, {middle, range.last});
}

void BoxIndex::find(std::size_t node, Range range, const Box& region,
                    std::vector<const HeldBox*>& found) const {
  if (!meet(bounds_[node], region)) return;
  if (range.last - range.first <= kLeafBoxes) {
    for (std::size_t b = range.first; b < range.last; ++b) {
      if (meet(boxes_[b].box, region)) found.push_back(&boxes_[b]);
    }
    return;
  }
  const std::size_t middle = range.first + (range.last - range.first) / 2;
  find(2 * node + 1, {range.first, middle}, region, found);
  find(2 * node + 2, {middle, range.last}, region, found);
}

std::vector<const HeldBox*> BoxIndex::meeting(const Box& region) const {
  std::vector<const HeldBox*> found;
  if (!boxes_.empty() && !region.empty()) find(0, {0, boxes_.size()}, region, found);
  std::sort(found.begin(), found.end(), [](const HeldBox* a, const HeldBox* b) {
    return std::tie(a->rank, a->patch) < std::tie(b->rank, b->patch);
  });
  return found;
}

}  // namespace esker
