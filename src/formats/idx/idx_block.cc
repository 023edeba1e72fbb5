#include "formats/idx/idx_block.h"

#include "grid/hz.h"

namespace esker::idx {

std::vector<PiecePart> block_parts(const BlockGrid& blocks, Index block, InBlockOrder order) {
  const Lattice lattice = blocks.lattice(block);
  if (order == InBlockOrder::kRowMajor) return {{lattice, 0, row_major_order(lattice.rank, lattice.count)}};
  const Bitmask& mask = blocks.mask();
  const int bits = blocks.bits_per_block();
  if (block >= blocks.num_first_blocks()) {
    return {{lattice, 0, hz_order_in_block(mask, bits, blocks.level_of_block(block))}};
  }
  const int digits = blocks.brick_digits();
  std::vector<PiecePart> parts;
  for (int level = 0; level <= bits; ++level) {  // of the brick, whose level 0 is one sample
    Lattice samples = level > 0 ? mask.samples_new_at(digits + level) : mask.samples_up_to(digits);
    for (int a = 0; a < samples.rank; ++a) samples.origin[a] += lattice.origin[a];
    samples.count = mask.pow2_sizes(digits + 1, digits + level - 1);
    parts.push_back({samples, first_hz_of_level(level), hz_order_in_level(mask, level, digits)});
  }
  return parts;
}

}  // namespace esker::idx
