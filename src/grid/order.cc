#include "grid/order.h"

#include <bit>
#include <cassert>

namespace esker {

namespace {

/// Positions whose bits are the lattice index bits in the order of mask positions first ... last, the last
/// one least significant.
BitOrder interleaved_order(const Bitmask& mask, int first, int last) {
  BitOrder order{.rank = mask.rank(), .bits = {}};
  for (int position = last; position >= first; --position) {
    order.bits[mask.digit(position)] |= std::uint64_t{1} << (last - position);
  }
  return order;
}

}  // namespace

Index BitOrder::on_axis(int axis, Index i) const {
  std::uint64_t position = 0;
  for (std::uint64_t left = bits[axis]; left != 0; left &= left - 1, i >>= 1) {
    if (i & 1) position |= left & (~left + 1);
  }
  return static_cast<Index>(position);
}

Index BitOrder::at(const Point& lattice_index) const {
  Index sum = 0;
  for (int a = 0; a < rank; ++a) sum += on_axis(a, lattice_index[a]);
  return sum;
}

BitOrder row_major_order(int rank, const Point& count) {
  BitOrder order{.rank = rank, .bits = {}};
  int below = 0;
  for (int a = 0; a < rank; ++a) {
    assert(std::has_single_bit(static_cast<std::uint64_t>(count[a])));
    order.bits[a] = static_cast<std::uint64_t>(count[a] - 1) << below;
    below += std::countr_zero(static_cast<std::uint64_t>(count[a]));
  }
  return order;
}

BitOrder hz_order_in_block(const Bitmask& mask, int bits_per_block, int level) {
  assert(bits_per_block < level && level <= mask.max_level());
  return interleaved_order(mask, level - bits_per_block, level - 1);
}

BitOrder hz_order_in_level(const Bitmask& mask, int level) {
  assert(0 <= level && level <= mask.max_level());
  return interleaved_order(mask, 1, level - 1);
}

}  // namespace esker
