// Lattice: a regular subset of a grid's samples, e.g. those of one resolution level or one block.
#pragma once

#include <string>

#include "esker/types/box.hpp"
#include "esker/types/export.h"

namespace esker {

/// The points origin + i * stride, 0 <= i < count per axis (i: the *lattice index*). Axes beyond
/// `rank` have origin 0, stride 1, count 1. Strides are positive.
struct ESKER_API Lattice {
  int rank = 0;
  Point origin{0, 0, 0, 0, 0};
  Point stride{1, 1, 1, 1, 1};
  Point count{1, 1, 1, 1, 1};

  [[nodiscard]] Index num_samples() const;  ///< product of the counts
  /// The grid index of a lattice index.
  [[nodiscard]] Point point(const Point& lattice_index) const;
  /// The lattice indices of the samples in `box`; an empty box if there are none. O(rank).
  [[nodiscard]] Box indices_in(const Box& box) const;
  /// [0, count) on every axis.
  [[nodiscard]] Box all_indices() const { return Box::from_extent(rank, count); }
  /// The bounding box of all samples.
  [[nodiscard]] Box bounds() const;
  /// The sub-lattice of the lattice indices in `indices` (within all_indices()).
  [[nodiscard]] Lattice sub(const Box& indices) const;
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const Lattice&, const Lattice&) = default;
};

}  // namespace esker
