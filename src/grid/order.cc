#include "grid/order.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace esker {

namespace {

/// Positions whose bits are the lattice index bits in the order of mask positions first ... last, the last
/// one least significant.
SampleOrder interleaved_order(const Bitmask& mask, int first, int last) {
  SampleOrder order{.rank = mask.rank(), .has_bits = true, .axes = {}};
  for (int position = last; position >= first; --position) {
    order.axes[mask.digit(position)] |= std::uint64_t{1} << (last - position);
  }
  return order;
}

/// Multiples of 2^bits in [lo, hi] whose successors up to the next one are there, too.
Index num_complete(Index lo, Index hi, int bits) {
  return std::max<Index>(0, (hi >> bits) - ((lo + (Index{1} << bits) - 1) >> bits));
}

/// Odd multiples of 2^bits below `end`.
Index num_odd_below(Index end, int bits) { return end <= 0 ? 0 : (((end - 1) >> bits) + 1) / 2; }

/// Samples at positions whose lowest set bit is `bit`, such that the position before is that of a sample,
/// too. There this bit is 0, and those below are 1.
Index num_joined_at(const SampleOrder& order, const Box& indices, std::uint64_t bit) {
  Index n = 1;
  for (int a = 0; a < order.rank; ++a) {
    const int below = std::popcount(order.axes[a] & (bit - 1));
    const Index lo = indices.lo[a], hi = indices.hi[a];
    const bool is_owner = (order.axes[a] & bit) != 0;
    n *= is_owner ? num_odd_below(hi, below) - num_odd_below(lo + 1, below) : num_complete(lo, hi, below);
  }
  return n;
}

Index num_runs_by_strides(const SampleOrder& order, const Box& indices) {
  Index n = 1;
  bool rows_join = true;  // those of the axes before
  for (int a = 0; a < order.rank; ++a) {
    if (!rows_join) n *= indices.hi[a] - indices.lo[a];
    const bool is_last = a + 1 == order.rank;
    const auto length = static_cast<Index>(is_last ? 0 : order.axes[a + 1] / order.axes[a]);
    rows_join = rows_join && indices.lo[a] == 0 && indices.hi[a] == length;
  }
  return n;
}

}  // namespace

Index num_runs(const SampleOrder& order, const Box& indices) {
  if (indices.empty()) return 0;
  if (!order.has_bits) return num_runs_by_strides(order, indices);
  std::uint64_t all = 0;
  for (int a = 0; a < order.rank; ++a) all |= order.axes[a];
  Index n = indices.num_samples();
  for (; all != 0; all &= all - 1) n -= num_joined_at(order, indices, all & (~all + 1));
  return n;
}

Index SampleOrder::on_axis(int axis, Index i) const {
  if (!has_bits) return i * static_cast<Index>(axes[axis]);
  std::uint64_t position = 0;
  for (std::uint64_t left = axes[axis]; left != 0; left &= left - 1, i >>= 1) {
    if (i & 1) position |= left & (~left + 1);
  }
  return static_cast<Index>(position);
}

Index SampleOrder::at(const Point& lattice_index) const {
  Index sum = 0;
  for (int a = 0; a < rank; ++a) sum += on_axis(a, lattice_index[a]);
  return sum;
}

SampleOrder row_major_order(int rank, const Point& count) {
  SampleOrder order{.rank = rank, .has_bits = false, .axes = {}};
  Index stride = 1;
  for (int a = 0; a < rank; ++a) {
    order.axes[a] = static_cast<std::uint64_t>(stride);
    stride *= count[a];
  }
  return order;
}

SampleOrder hz_order_in_block(const Bitmask& mask, int bits_per_block, int level) {
  assert(bits_per_block < level && level <= mask.max_level());
  return interleaved_order(mask, level - bits_per_block, level - 1);
}

SampleOrder hz_order_in_level(const Bitmask& mask, int level, int brick_digits) {
  assert(0 <= level && brick_digits + level <= mask.max_level());
  return interleaved_order(mask, brick_digits + 1, brick_digits + level - 1);
}

}  // namespace esker
