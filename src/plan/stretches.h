// Stretches: ranges of linear offsets (positions), and their concatenation.
#pragma once

#include <vector>

#include "esker/types/box.hpp"

namespace esker {

/// [begin, end).
struct PositionRange {
  Index begin = 0, end = 0;

  friend bool operator==(const PositionRange&, const PositionRange&) = default;
};

/// Ascending, with adjacent ranges united.
std::vector<PositionRange> united(std::vector<PositionRange> ranges);

class Stretches {
 public:
  /// Disjoint and not empty, in the order in which they are concatenated.
  explicit Stretches(const std::vector<PositionRange>& ranges = {});

  [[nodiscard]] Index size_bytes() const { return size_bytes_; }
  /// The place of a position, which is in one of the ranges, in the concatenation. O(log ranges).
  [[nodiscard]] Index place_of(Index position) const;
  /// The positions of the places [begin, end), in the order of concatenation.
  [[nodiscard]] std::vector<PositionRange> slice(Index begin, Index end) const;

 private:
  struct Stretch {
    Index begin = 0, end = 0;  // positions
    Index before = 0;          // place of `begin`
  };
  std::vector<Stretch> in_order_, ascending_;
  Index size_bytes_ = 0;
};

}  // namespace esker
