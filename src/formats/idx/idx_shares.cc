// File domains of an IDX step. At each level that has a block for every domain, a domain has the blocks whose
// centers are in its brick, the same for all fields. Blocks of coarser levels are distributed field by field.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "formats/idx/idx_layout.h"

namespace esker::idx {

/// Existing blocks of the levels that have fewer blocks than domains.
Index IdxLayout::num_coarse(Index n_shares) const {
  for (int level = blocks_.bits_per_block(); level <= blocks_.mask().max_level(); ++level) {
    const BlockGrid::Existing existing = blocks_.existing_at(level);
    if (existing.count >= n_shares) return existing.before;
  }
  return num_existing_;
}

/// The block with index `number` among the `coarse` blocks of each field.
Index IdxLayout::share_of_coarse(Index number, Index present_field, Index coarse, Index n_shares) const {
  return (present_field * coarse + number) * n_shares / (num_present_ * coarse);
}

/// The brick that contains the center of the block's part of the grid.
Index IdxLayout::brick_of(Index block, const BrickDecomposition& bricks) const {
  const Lattice samples = blocks_.lattice(block);
  Point middle{};
  for (int a = 0; a < samples.rank; ++a) {
    const Index end = std::min(samples.origin[a] + samples.count[a] * samples.stride[a], blocks_.box().hi[a]);
    middle[a] = (samples.origin[a] + end) / 2;
  }
  return bricks.part_of(middle);
}

int IdxLayout::share_of(Index ordinal, const BrickDecomposition& bricks) const {
  const Place place = place_of(ordinal);
  const Index number = place.range.existing_before + place.number_in_file;
  const Index n = bricks.num_parts();
  const Index coarse = num_coarse(n);
  return static_cast<int>(number < coarse ? share_of_coarse(number, place.present_field, coarse, n)
                                          : brick_of(blocks_.nth_existing(number), bricks));
}

std::vector<std::vector<Layout::Run>> IdxLayout::runs_of_shares(const BrickDecomposition& bricks) const {
  const Index n = bricks.num_parts();
  const Index coarse = num_coarse(n);
  std::vector<Index> bricks_of_fine;
  for (Index number = coarse; number < num_existing_; ++number) {
    bricks_of_fine.push_back(brick_of(blocks_.nth_existing(number), bricks));
  }
  std::vector<std::vector<Run>> shares(static_cast<std::size_t>(n));
  for (Index before = 0; before < num_existing_ && num_present_ > 0;) {
    const FileRange range = range_of(blocks_.nth_existing(before) / parameters_.blocks_per_file);
    for (Index field = 0; field < num_present_; ++field) {
      for (Index number = before; number < before + range.num_existing; ++number) {
        const Index ordinal = before * num_present_ + field * range.num_existing + number - before;
        const Index share = number < coarse ? share_of_coarse(number, field, coarse, n)
                                            : bricks_of_fine[static_cast<std::size_t>(number - coarse)];
        append_to_runs(shares[static_cast<std::size_t>(share)], ordinal);
      }
    }
    before += range.num_existing;
  }
  return shares;
}

// Blocks of a level are numbered along the Z curve, below a leading bit. If patches are densest in memory
// along another axis than x, the bits of that axis come last, because neighbors along it share pages of
// memory.
Index IdxLayout::place_on_curve(Index ordinal) const {
  const Piece piece = this->piece(ordinal);
  if (piece.id == 0) return 0;
  const Bitmask& mask = blocks_.mask();
  const Index along_level =
      piece.id - static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(piece.id)));
  const Index along_curve = along_level << (mask.max_level() - blocks_.level_of_block(piece.id));
  const int dense = fields_[static_cast<std::size_t>(piece.field)].dense_axis;
  if (dense == 0) return along_curve;
  Index place = 0, on_dense = 0;
  const int num_digits = mask.max_level() - blocks_.bits_per_block() - 1;  // of the finest level's tiles
  for (int position = 1; position <= num_digits; ++position) {
    Index& number = mask.digit(position) == dense ? on_dense : place;
    number = number << 1 | (along_curve >> (num_digits - position) & 1);
  }
  return place << mask.num_digits(dense, 1, num_digits) | on_dense;
}

}  // namespace esker::idx
