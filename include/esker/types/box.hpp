// Index boxes: every region of a grid is given as a Box.
//
// A box is half open, [lo, hi) per axis; axis 0 is x, the fastest axis in memory and on disk, and
// all lists of axes start with x (NumPy and netCDF shapes run the other way; the bindings reverse them).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "esker/types/export.h"

namespace esker {

/// A global sample index, a count of samples or bytes: always 64 bits.
using Index = std::int64_t;

inline constexpr int kMaxRank = 5;  ///< maximum number of axes of a grid

/// One index per axis, x first. Axes beyond a grid's rank hold 0 (1 where the point is an extent).
using Point = std::array<Index, kMaxRank>;

/// Half-open index box [lo, hi) of `rank` axes. Axes beyond `rank` hold [0, 1), so that loops over
/// all kMaxRank axes work for every rank. A box with hi <= lo on some axis is empty.
struct ESKER_API Box {
  int rank = 0;
  Point lo{0, 0, 0, 0, 0};
  Point hi{1, 1, 1, 1, 1};

  Box() = default;
  /// [lo, hi) with as many axes as the lists have (at most kMaxRank, the same number in both).
  Box(std::initializer_list<Index> lo_list, std::initializer_list<Index> hi_list);
  /// [lo, hi) on the first `n_axes` axes.
  Box(int n_axes, const Point& lo_point, const Point& hi_point);
  /// [0, extent) on the first `n_axes` axes.
  static Box from_extent(int n_axes, const Point& extent);

  /// hi - lo on one axis; 0 for an empty one.
  [[nodiscard]] Index extent(int axis) const { return hi[axis] > lo[axis] ? hi[axis] - lo[axis] : 0; }
  [[nodiscard]] Point extents() const;  ///< extent() of all axes
  [[nodiscard]] bool empty() const;     ///< whether the box contains no sample
  /// Product of the extents. The caller has checked that it fits 64 bits (see checked_num_samples).
  [[nodiscard]] Index num_samples() const;
  /// Product of the extents, or nullopt if it does not fit 64 bits. Use it for boxes from files and users.
  [[nodiscard]] std::optional<Index> checked_num_samples() const;
  [[nodiscard]] bool contains(const Point& p) const;
  [[nodiscard]] bool contains(const Box& other) const;  ///< an empty box is in every box
  /// "[0,301) x [0,561)"
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const Box& a, const Box& b) {
    return a.rank == b.rank && a.lo == b.lo && a.hi == b.hi;
  }
};

/// The intersection of two boxes of the same rank; empty (hi <= lo on some axis) if they are disjoint.
ESKER_API Box intersect(const Box& a, const Box& b);

}  // namespace esker
