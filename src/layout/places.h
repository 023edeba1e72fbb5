// Converts between a cell of a row-major grid (x fastest) and its number.
#pragma once

#include <algorithm>

#include "esker/types/box.hpp"

namespace esker {

/// The cell with number `n` in a grid of `counts`.
inline Point place_in(const Point& counts, int rank, Index n) {
  Point place{};
  for (int a = 0; a < rank; n /= counts[a], ++a) place[a] = n % counts[a];
  return place;
}

inline Index number_in(const Point& counts, int rank, const Point& place) {
  Index number = 0;
  for (int a = rank; a-- > 0;) number = number * counts[a] + place[a];
  return number;
}

/// Calls visit(place) for the cells of a box, x fastest.
template <class Visit>
void for_each_place(const Box& box, const Visit& visit) {
  const Point counts = box.extents();
  for (Index n = 0; n < box.num_samples(); ++n) {
    Point place = place_in(counts, box.rank, n);
    for (int a = 0; a < box.rank; ++a) place[a] += box.lo[a];
    visit(place);
  }
}

/// The extent of slabs of at most `room` samples, but at least one: complete along as many fast axes as fit,
/// then as much of the next axis as fits.
inline Point slab_extent(const Point& extent, int rank, Index room) {
  Point slab{1, 1, 1, 1, 1};
  for (int a = 0; a < rank; ++a) {
    slab[a] = std::min(extent[a], std::max<Index>(1, room));
    room = slab[a] == extent[a] ? room / extent[a] : 1;
  }
  return slab;
}

}  // namespace esker
