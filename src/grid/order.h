// BitOrder: where a sample of a piece stands, as a sum of one number per axis.
//
// The orders inside an IDX block are separable: sample (i,j,k) stands at X(i) + Y(j) + Z(k). Counts are
// powers of two there, so each axis fills bits of its own of the position, in row-major and in HZ order, and
// the bits are all there is to know: as small for a block of 2^30 samples as for 16.
#pragma once

#include <array>
#include <cstdint>

#include "esker/box.hpp"
#include "grid/bitmask.h"

namespace esker {

/// Index i of axis a fills those bits of the position, counted in samples from the first of the piece, that
/// bits[a] has set: the lowest bit of i the lowest one.
struct BitOrder {
  int rank = 0;
  std::array<std::uint64_t, kMaxRank> bits{};

  /// What index `i` of an axis adds to the position. O(bits).
  [[nodiscard]] Index on_axis(int axis, Index i) const;
  [[nodiscard]] Index at(const Point& lattice_index) const;
};

/// x fastest, dense; every count is a power of two.
BitOrder row_major_order(int rank, const Point& count);

/// HZ order inside any block b >= 1 of level `level` > bits_per_block: the same for all blocks of
/// that level. Source: docs/formats/idx.md, section 5.
BitOrder hz_order_in_block(const Bitmask& mask, int bits_per_block, int level);

/// HZ order of the samples that `level` adds, counted from the first sample of the level
/// (block 0 in HZ order is one such piece per level 0 ... bits_per_block).
BitOrder hz_order_in_level(const Bitmask& mask, int level);

}  // namespace esker
