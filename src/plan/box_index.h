// BoxIndex: finds the boxes of a list that intersect a region, without a scan of the whole list.
//
// A tree of bounding boxes over the list, split at medians. A region intersects few subtrees, whatever the
// shapes and sizes of the boxes (cubes, slabs, refined patches).
#pragma once

#include <cstddef>
#include <vector>

#include "esker/types/box.hpp"

namespace esker {

/// A box that a rank holds.
struct HeldBox {
  Box box;
  int rank = 0;
  int patch = 0;  ///< index among the rank's boxes
};

class BoxIndex {
 public:
  /// Leaves out empty boxes. All boxes have the same dimension. O(n log n) for n boxes.
  explicit BoxIndex(std::vector<HeldBox> boxes);

  /// The boxes that contain samples of `region`, by ascending (rank, patch). O(answer + log n) for boxes that
  /// do not overlap.
  [[nodiscard]] std::vector<const HeldBox*> meeting(const Box& region) const;

  [[nodiscard]] const std::vector<HeldBox>& boxes() const { return boxes_; }

 private:
  struct Range {
    std::size_t first = 0, last = 0;  ///< range in boxes_
  };
  void build(std::size_t node, Range range);
  void find(std::size_t node, Range range, const Box& region, std::vector<const HeldBox*>& found) const;

  std::vector<HeldBox> boxes_;  // the boxes of a subtree are contiguous
  std::vector<Box> bounds_;     // of node n, whose children are 2n + 1 and 2n + 2
};

}  // namespace esker
