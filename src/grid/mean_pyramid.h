// MeanPyramid: the means of the cells of all levels that a patch has, for one component.
//
// Level 0 has the samples. A cell of level k has 2 cells of level k - 1 along each axis, its children; it
// belongs to the patch that has its lowest sample. Rows of children are summed when a row of their parents
// needs them, so that a sample is read once for all levels, and only a few rows of sums per level are in
// memory. Rows are along the axis on which samples are densest. A cell adds its children in one order, x
// fastest, whatever that axis is: its sum depends on the samples alone, not on the patches. Pure; allocates
// nothing.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "esker/types/box.hpp"
#include "grid/mean_cells.h"

namespace esker {

/// Samples or sums of a box in memory.
struct ChildBox {
  Box box;
  const std::byte* data = nullptr;
  std::array<Index, kMaxRank> stride_bytes{};
};

class MeanPyramid {
 public:
  struct Level {
    Box domain;  ///< all cells
    Box own;     ///< those that begin in the patch; may be empty
    /// Beyond the patch's upper end on an axis: the children that cells of the patch have there, within the
    /// cells on lower axes and within the patch on higher ones. Samples at level 0, else sums. Not of the
    /// coarsest level.
    std::array<ChildBox, kMaxRank> slabs;
    std::byte* rows = nullptr;   ///< from level 1 on: memory for num_rows() rows of sums
    std::byte* means = nullptr;  ///< from level 1 on: written by make_means()
    std::array<Index, kMaxRank> mean_strides{};
  };
  /// Rows of the children of a row of cells.
  static Index num_rows(int rank) { return Index{1} << (rank - 1); }

  /// `samples`: of the patch. `axis`: along which rows are. All must outlive this object.
  MeanPyramid(const CellSums& sums, const MissingValues& missing, const ChildBox& samples, int axis,
              std::span<const Level> levels)
      : sums_(sums), missing_(missing), samples_(samples), axis_(axis), levels_(levels) {}

  /// Writes the means of all levels. Needs all slabs.
  void make_means() const;
  /// Writes the sums of some cells of the patch, dense. Needs the slabs of lower levels.
  void copy_sums(std::size_t level, const Box& cells, std::byte* target) const;

 private:
  /// A row of children: in the patch or in a slab, and what follows in another slab.
  struct Row {
    ChildRun first, rest;
  };
  static constexpr std::size_t kMostRows = std::size_t{1} << (kMaxRank - 1);

  template <class Visit>
  void for_each_row(const Box& box, const Visit& visit) const;
  void sum_row(std::size_t level, const Point& first, Index count, bool writes_means, std::byte* row) const;
  [[nodiscard]] Row find_row(std::size_t level, const Point& first, Index count, bool writes_means,
                             std::byte* sums) const;
  [[nodiscard]] ChildRun run_of(const ChildBox& part, const Point& first, Index at, Index count) const;
  void add_rows(std::size_t level, const std::array<Row, kMostRows>& rows, std::byte* row) const;
  void add(std::size_t level, const ChildRun& run, std::byte* row) const;
  void add_half(std::size_t level, const ChildRun& run, Index half, std::byte* row) const;
  void write_means(std::size_t level, const Point& first, const std::byte* row) const;
  [[nodiscard]] bool has_parents(std::size_t level, const Point& row) const;

  const CellSums& sums_;
  const MissingValues& missing_;
  const ChildBox& samples_;
  int axis_;
  std::span<const Level> levels_;
};

}  // namespace esker
