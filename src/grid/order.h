// AxisOffsets, BitOrder: where a sample of a piece stands, as a sum of one number per axis.
//
// Every in-file order that Esker needs is separable: sample (i,j,k) of a piece stands at
// table[0][i] + table[1][j] + table[2][k]. Row-major order and HZ order inside a block both are; inside a
// block each axis moreover fills bits of its own, so that no table is needed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "esker/box.hpp"
#include "grid/bitmask.h"

namespace esker {

/// Offsets in samples from the first sample of the piece, one table per axis of the piece's lattice.
struct AxisOffsets {
  int rank = 0;
  std::array<std::vector<Index>, kMaxRank> table;  ///< axes beyond rank: {0}

  [[nodiscard]] Index at(const Point& lattice_index) const;
};

/// x fastest, dense, `count` samples per axis.
AxisOffsets row_major_order(int rank, const Point& count);

/// The same sums for a piece with a power of two of samples per axis: index i of axis a fills those bits of
/// the position that bits[a] has set, its lowest bit the lowest one. As small for a block of 2^30 samples as
/// for 16.
struct BitOrder {
  int rank = 0;
  std::array<std::uint64_t, kMaxRank> bits{};

  /// What index `i` of an axis adds to the position. O(bits).
  [[nodiscard]] Index on_axis(int axis, Index i) const;
  [[nodiscard]] Index at(const Point& lattice_index) const;
};

/// x fastest, dense; every count is a power of two.
BitOrder row_major_bits(int rank, const Point& count);

/// HZ order inside any block b >= 1 of level `level` > bits_per_block: the same for all blocks of
/// that level. Source: docs/formats/idx.md, section 5.
BitOrder hz_order_in_block(const Bitmask& mask, int bits_per_block, int level);

/// HZ order of the samples that `level` adds, counted from the first sample of the level
/// (block 0 in HZ order is one such piece per level 0 ... bits_per_block).
BitOrder hz_order_in_level(const Bitmask& mask, int level);

}  // namespace esker
