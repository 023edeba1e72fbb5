// Means of cells: what a coarser level of a field holds, where a cell has two children along each axis.
//
// The sum and the number of the samples of a cell come from its children: samples, or such sums of the level
// below. A cell adds its children in one order, x fastest, so that its sum depends on the samples alone.
// Reals are summed as double, integers exactly. Missing values are left out: NaN, and the values that the
// field declares. Pure; allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "esker/types/box.hpp"
#include "esker/types/sample_type.hpp"

namespace esker {

/// The values of a field that are no samples, as bits of its type.
struct MissingValues {
  std::array<std::uint64_t, 2> values{};  ///< the first one is the mean of a cell without samples
  int count = 0;                          ///< 0: such a mean of reals is NaN
};

/// Bytes of the sum and the number of samples of a cell.
Index cell_sum_bytes(SampleType type);

/// One component of a box of children in memory.
struct ChildBox {
  Box box;
  const std::byte* data = nullptr;
  std::array<Index, kMaxRank> stride_bytes{};
};

/// The cells whose lowest child is in a patch, and their children.
struct CellsOfPatch {
  SampleType type = SampleType::kFloat32;
  MissingValues missing;
  bool are_sums = false;  ///< the children are sums of cells
  Box cells;              ///< not empty
  Box domain;             ///< of all children
  ChildBox own;           ///< the patch
  /// Beyond the patch's upper end on an axis: the children that cells of the patch have there, within the
  /// cells on lower axes and within the patch on higher ones.
  std::array<ChildBox, kMaxRank> slabs;
  std::byte* sums = nullptr;   ///< written: cell_sum_bytes() for each cell, dense; null: not kept
  std::byte* row = nullptr;    ///< if they are not kept, memory for those of cells along x
  std::byte* means = nullptr;  ///< written: of the type, dense
  Index mean_bytes = 0;        ///< from one of these to the next
};

void average_cells(const CellsOfPatch& work);

}  // namespace esker
