#include "grid/order.h"

#include <cassert>

namespace esker {

namespace {

/// Offsets whose bits are the lattice index bits in the order of mask positions first ... last, the
/// last one least significant. Each position moves one index bit, so the tables double per position.
AxisOffsets interleaved_order(const Bitmask& mask, int first, int last) {
  AxisOffsets order{.rank = mask.rank(), .table = {}};
  for (auto& table : order.table) table = {0};
  for (int position = last; position >= first; --position) {
    auto& table = order.table[mask.digit(position)];
    const std::size_t size = table.size();
    for (std::size_t i = 0; i < size; ++i) table.push_back(table[i] + (Index{1} << (last - position)));
  }
  return order;
}

}  // namespace

Index AxisOffsets::at(const Point& lattice_index) const {
  Index sum = 0;
  for (int a = 0; a < rank; ++a) sum += table[a][lattice_index[a]];
  return sum;
}

AxisOffsets row_major_order(int rank, const Point& count) {
  AxisOffsets order{.rank = rank, .table = {}};
  Index step = 1;
  for (int a = 0; a < kMaxRank; ++a) {
    const Index n = a < rank ? count[a] : 1;
    for (Index i = 0; i < n; ++i) order.table[a].push_back(i * step);
    step *= n;
  }
  return order;
}

AxisOffsets hz_order_in_block(const Bitmask& mask, int bits_per_block, int level) {
  assert(bits_per_block < level && level <= mask.max_level());
  return interleaved_order(mask, level - bits_per_block, level - 1);
}

AxisOffsets hz_order_in_level(const Bitmask& mask, int level) {
  assert(0 <= level && level <= mask.max_level());
  return interleaved_order(mask, 1, level - 1);
}

}  // namespace esker
