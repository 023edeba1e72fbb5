// MergedBlocks: the first blocks of the global order, from those of the bricks.
//
// Both have the same samples, see grid/hybrid_blocks.h. Pure.
#pragma once

#include <span>

#include "formats/idx/header.h"
#include "grid/blocks.h"

namespace esker::idx {

class MergedBlocks {
 public:
  /// `bricks` has bricks. All references must outlive this object.
  MergedBlocks(const BlockGrid& bricks, const FieldEntry& field)
      : bricks_(bricks), global_(bricks.mask(), bricks.bits_per_block(), bricks.box()), field_(field) {}

  [[nodiscard]] Index block_bytes() const { return bricks_.samples_per_block() * field_.sample_bytes(); }

  /// Sets `out` to block `block` < num_first_blocks() of the global order. `of_bricks`: the first blocks of
  /// all bricks, one after the other, in the order `order`, as the result. O(samples + bricks of the block).
  void make(Index block, InBlockOrder order, std::span<const std::byte> of_bricks,
            std::span<std::byte> out) const;

 private:
  const BlockGrid& bricks_;
  BlockGrid global_;
  const FieldEntry& field_;
};

}  // namespace esker::idx
