#include "formats/idx/idx_block.h"

#include "grid/hz.h"

namespace esker::idx {

std::vector<PiecePart> block_parts(const BlockGrid& blocks, Index block, InBlockOrder order) {
  const Lattice lattice = blocks.lattice(block);
  if (order == InBlockOrder::kRowMajor) return {{lattice, 0, row_major_order(lattice.rank, lattice.count)}};
  const Bitmask& mask = blocks.mask();
  const int bits = blocks.bits_per_block();
  if (block > 0) return {{lattice, 0, hz_order_in_block(mask, bits, blocks.level_of_block(block))}};
  std::vector<PiecePart> parts;
  for (int level = 0; level <= bits; ++level) {
    parts.push_back({mask.samples_new_at(level), first_hz_of_level(level), hz_order_in_level(mask, level)});
  }
  return parts;
}

}  // namespace esker::idx
