#include "grid/partition_boxes.h"

#include <algorithm>
#include <array>
#include <string>

namespace esker {
namespace {

Index samples_in(const Box& box) { return box.empty() ? 0 : box.num_samples(); }

/// The brick without clipping.
Box extent_of(const Bitmask& mask, int digits, Index number) {
  Box box = mask.pow2_box();
  for (int position = 1; position <= digits; ++position) {
    const int axis = mask.digit(position);
    const Index middle = box.lo[axis] + mask.weight(position);
    if (number >> (digits - position) & 1) {
      box.lo[axis] = middle;
    } else {
      box.hi[axis] = middle;
    }
  }
  return box;
}

/// Finds the bricks of a run of tiles by halving.
class BrickFinder {
 public:
  BrickFinder(const TileCut& cut, int partition)
      : cut_(cut), first_(cut.first_tile(partition)), last_(cut.first_tile(partition + 1)) {}

  std::vector<Brick> find() {
    if (first_ < last_) visit(0, 0);
    return std::move(bricks_);
  }

 private:
  void visit(int digits, Index number) {
    const int further = cut_.digits() - digits;
    const Index begin = number << further, end = (number + 1) << further;
    if (end <= first_ || last_ <= begin) return;
    const BlockGrid& blocks = cut_.blocks();
    const Box box = intersect(extent_of(blocks.mask(), digits, number), blocks.box());
    if (box.empty()) return;
    const Index before = cut_.num_samples_before(std::max(begin, first_));
    const Index in_run = cut_.num_samples_before(std::min(end, last_)) - before;
    if (in_run == 0) return;
    if (in_run == samples_in(box)) {
      bricks_.push_back({digits, number, box});
      return;
    }
    visit(digits + 1, 2 * number);
    visit(digits + 1, 2 * number + 1);
  }

  const TileCut& cut_;
  Index first_, last_;
  std::vector<Brick> bricks_;
};

}  // namespace

TileCut cut_into_partitions(const Bitmask& mask, const Box& grid, int n_partitions) {
  // A TileCut has fewer digits than blocks have numbers: each axis keeps its last digit.
  std::array<int, kMaxRank> last{};
  for (int position = 1; position <= mask.max_level(); ++position) last[mask.digit(position)] = position;
  int first_last = mask.max_level();
  for (int axis = 0; axis < mask.rank(); ++axis) {
    if (grid.extent(axis) > 1) first_last = std::min(first_last, last[axis]);
  }
  return {BlockGrid(mask, mask.max_level() - first_last, grid), n_partitions};
}

std::vector<Brick> bricks_of_partition(const TileCut& cut, int partition) {
  return BrickFinder(cut, partition).find();
}

Bitmask mask_of_brick(const Bitmask& mask, const Brick& brick) {
  std::string digits;
  for (int axis = 0; axis < mask.rank(); ++axis) {
    if (brick.box.extent(axis) == 1) digits += std::to_string(axis);
  }
  for (int position = brick.digits + 1; position <= mask.max_level(); ++position) {
    const int axis = mask.digit(position);
    if (mask.weight(position) < brick.box.extent(axis)) digits += std::to_string(axis);
  }
  return Bitmask::parse("V" + digits).value();
}

}  // namespace esker
