// SampleOrder: the position of a sample in a piece, as a sum of one number per axis.
//
// The orders inside pieces are separable: sample (i,j,k) is at position X(i) + Y(j) + Z(k). In row-major
// order each axis has a stride. In HZ order, where counts are powers of two, each axis sets a separate group
// of bits of the position. One number per axis describes the order, whether a piece has 16 samples or 2^30.
#pragma once

#include <array>
#include <cstdint>

#include "esker/types/box.hpp"
#include "grid/bitmask.h"

namespace esker {

struct SampleOrder {
  int rank = 0;
  /// Bits: index i of axis a sets the bits of the position that are set in axes[a], lowest bit of i to lowest
  /// bit; positions are in samples from the start of the piece. Strides: axes[a] is the stride.
  bool has_bits = false;
  std::array<std::uint64_t, kMaxRank> axes{};

  /// The contribution of index `i` of an axis to the position. O(bits).
  [[nodiscard]] Index on_axis(int axis, Index i) const;
  [[nodiscard]] Index at(const Point& lattice_index) const;
};

/// Runs of consecutive positions of the samples `indices`. `order` is dense: one of those below. O(bits).
[[nodiscard]] Index num_runs(const SampleOrder& order, const Box& indices);

/// x fastest, dense.
SampleOrder row_major_order(int rank, const Point& count);

/// HZ order inside any block b >= 1 of level `level` > bits_per_block: the same for all blocks of
/// that level. Source: docs/formats/idx.md, section 5.
SampleOrder hz_order_in_block(const Bitmask& mask, int bits_per_block, int level);

/// HZ order of the samples that `level` adds, counted from the first sample of the level
/// (block 0 in HZ order is one such piece per level 0 ... bits_per_block). In a brick of the first
/// `brick_digits` digits, `level` is that of the brick, whose mask are the digits behind these.
SampleOrder hz_order_in_level(const Bitmask& mask, int level, int brick_digits = 0);

}  // namespace esker
