// SampleOrder: where a sample of a piece stands, as a sum of one number per axis.
//
// The orders inside pieces are separable: sample (i,j,k) stands at X(i) + Y(j) + Z(k). In row-major order
// each axis has a stride. In HZ order, where counts are powers of two, each axis fills bits of its own of the
// position. One number per axis is all there is to know: as small for a piece of 2^30 samples as for 16.
#pragma once

#include <array>
#include <cstdint>

#include "esker/box.hpp"
#include "grid/bitmask.h"

namespace esker {

struct SampleOrder {
  int rank = 0;
  /// Index i of axis a fills those bits of the position, counted in samples from the first of the piece, that
  /// axes[a] has set: the lowest bit of i the lowest one. Else axes[a] is the stride.
  bool has_bits = false;
  std::array<std::uint64_t, kMaxRank> axes{};

  /// What index `i` of an axis adds to the position. O(bits).
  [[nodiscard]] Index on_axis(int axis, Index i) const;
  [[nodiscard]] Index at(const Point& lattice_index) const;
};

/// x fastest, dense.
SampleOrder row_major_order(int rank, const Point& count);

/// HZ order inside any block b >= 1 of level `level` > bits_per_block: the same for all blocks of
/// that level. Source: docs/formats/idx.md, section 5.
SampleOrder hz_order_in_block(const Bitmask& mask, int bits_per_block, int level);

/// HZ order of the samples that `level` adds, counted from the first sample of the level
/// (block 0 in HZ order is one such piece per level 0 ... bits_per_block).
SampleOrder hz_order_in_level(const Bitmask& mask, int level);

}  // namespace esker
