// Tiles: the places of patches on one level, a regular grid of boxes, each with or without a patch.
#pragma once

#include <vector>

#include "esker/types/box.hpp"

namespace uintah {

using esker::Box;
using esker::Index;
using esker::Point;

class Tiles {
 public:
  /// Boxes of `edge` cells along each axis of `domain`, which begins at 0; the last ones may be smaller.
  Tiles(const Box& domain, Index edge);

  /// The tiles as a box of tile coordinates.
  [[nodiscard]] const Box& grid() const { return grid_; }
  [[nodiscard]] Box box_of(const Point& tile) const;
  /// The tiles that intersect `cells`, which may reach out of the domain, as a box of tile coordinates.
  [[nodiscard]] Box touched_by(const Box& cells) const;

  void add(const Point& tile) { exists_[number_of(tile)] = 1; }
  [[nodiscard]] bool exists(const Point& tile) const { return exists_[number_of(tile)] != 0; }
  /// Whether a patch holds the cell `at`, which is in the domain.
  [[nodiscard]] bool hold(const Point& at) const;

  /// The boxes of the tiles that exist, in Morton order.
  [[nodiscard]] std::vector<Box> patches() const;

 private:
  [[nodiscard]] Index number_of(const Point& tile) const;

  Box domain_, grid_;
  Index edge_;
  std::vector<char> exists_;
};

/// Calls `visit`(Point) for all points of a box of three axes, x fastest.
template <class Visit>
void for_each_point(const Box& box, Visit&& visit) {
  Point p{};
  for (p[2] = box.lo[2]; p[2] < box.hi[2]; ++p[2]) {
    for (p[1] = box.lo[1]; p[1] < box.hi[1]; ++p[1]) {
      for (p[0] = box.lo[0]; p[0] < box.hi[0]; ++p[0]) visit(p);
    }
  }
}

}  // namespace uintah
