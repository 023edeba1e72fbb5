// Sums and means of cells along a row: what a coarser level of a field holds, where a cell has two children
// along each axis.
//
// A cell adds its children one after the other: samples, or the sums of cells of the level below. Reals are
// summed as double, integers exactly. Missing values are left out: NaN, and the values that the field
// declares. Pure; allocates nothing.
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

/// Children in memory, `stride_bytes` apart.
struct ChildRun {
  const std::byte* data = nullptr;
  Index stride_bytes = 0;
  /// The first one is child number `at` of a row of cells, whose cell n has the children 2 n and 2 n + 1;
  /// with `one_per_cell`, it is of cell number `at`, the next one of the next cell.
  Index at = 0, count = 0;
  bool one_per_cell = false;
};

/// The operations on rows of sums for one type of samples. Sums are dense and aligned to 8 bytes.
struct CellSums {
  Index bytes = 0;  ///< of a sum and its number of samples
  void (*clear)(std::byte* row, Index count) = nullptr;
  void (*add_samples)(const ChildRun& samples, const MissingValues& missing, std::byte* row) = nullptr;
  void (*add_sums)(const ChildRun& sums, std::byte* row) = nullptr;
  /// Means of the type, `stride_bytes` apart.
  void (*write_means)(const std::byte* row, Index count, const MissingValues& missing, std::byte* means,
                      Index stride_bytes) = nullptr;

  static CellSums of(SampleType type);
};

}  // namespace esker
