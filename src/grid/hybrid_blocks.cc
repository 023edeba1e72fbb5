#include "grid/hybrid_blocks.h"

#include <bit>
#include <cstdint>

namespace esker {
namespace {

Index bit_floor(Index value) { return static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(value))); }

}  // namespace

Index hybrid_block(Index num_bricks, const BlockOfBrick& of) {
  const Index l = bit_floor(of.block);  // 0 of block 0
  return l == 0 ? of.brick : l * num_bricks + of.brick * l + (of.block - l);
}

BlockOfBrick block_of_brick(Index num_bricks, Index hybrid_block) {
  if (hybrid_block < num_bricks) return {hybrid_block, 0};
  const Index l = bit_floor(hybrid_block) / num_bricks;
  const Index in_level = hybrid_block - l * num_bricks;
  return {in_level / l, l + in_level % l};
}

}  // namespace esker
