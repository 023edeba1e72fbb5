#include "grid/order.h"

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

}  // namespace

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
