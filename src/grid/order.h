// AxisOffsets: where a sample of a piece stands, as a sum of one small table per axis.
//
// Every in-file order that Esker needs is separable: sample (i,j,k) of a piece stands at
// table[0][i] + table[1][j] + table[2][k]. Row-major order and HZ order inside a block both are.
#pragma once

#include <array>
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

/// HZ order inside any block b >= 1 of level `level` > bits_per_block: the same for all blocks of
/// that level. Source: docs/formats/idx.md, section 5.
AxisOffsets hz_order_in_block(const Bitmask& mask, int bits_per_block, int level);

/// HZ order of the samples that `level` adds, counted from the first sample of the level
/// (block 0 in HZ order is one such piece per level 0 ... bits_per_block).
AxisOffsets hz_order_in_level(const Bitmask& mask, int level);

}  // namespace esker
