// File domains of an IDX step. In a dense step, at each level that has a block for every domain, a domain has
// the blocks whose centers are in its brick, the same for all fields. Blocks of coarser levels are
// distributed field by field.
//
// In a sparse step a brick may have most of the blocks, or none. Its pieces are therefore ordered along the Z
// curve by the region that they cover, and the curve is cut into stretches of equal bytes.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>
#include <utility>

#include "formats/idx/idx_layout.h"

namespace esker::idx {

/// Existing blocks of the levels that have fewer blocks than domains.
Index IdxLayout::num_coarse(Index n_shares) const {
  for (int level = blocks_.coarsest_level(); level <= blocks_.mask().max_level(); ++level) {
    const BlockGrid::Existing existing = blocks_.existing_at(level);
    if (existing.count >= n_shares) return existing.before;
  }
  return blocks_.num_existing();
}

/// The block with index `number` among the `coarse` blocks of each field.
Index IdxLayout::share_of_coarse(Index number, Index present_field, Index coarse, Index n_shares) const {
  return (present_field * coarse + number) * n_shares / (std::ssize(present_) * coarse);
}

/// The center of the block's part of the grid.
Point IdxLayout::center_of(Index block) const {
  const Lattice samples = blocks_.lattice(block);
  Point middle{};
  for (int a = 0; a < samples.rank; ++a) {
    const Index end = std::min(samples.origin[a] + samples.count[a] * samples.stride[a], blocks_.box().hi[a]);
    middle[a] = (samples.origin[a] + end) / 2;
  }
  return middle;
}

/// [group][number of a block in its set]. Of blocks at one place the coarsest comes first. O(n log n) for n
/// blocks.
std::vector<std::vector<IdxLayout::OnCurve>> IdxLayout::blocks_on_curve() const {
  struct Stop {
    Index place, block, number;
    std::size_t group;
  };
  std::vector<Stop> stops;
  std::vector<std::vector<OnCurve>> on_curve(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const BlockSet& blocks = *groups_[g].blocks;
    on_curve[g].resize(static_cast<std::size_t>(blocks.size()));
    Index number = 0;
    blocks.for_each(0, blocks.size(), [&](Index block) {
      stops.push_back({along_curve(block), block, number++, g});
    });
  }
  std::sort(stops.begin(), stops.end(), [](const Stop& a, const Stop& b) {
    return std::tie(a.place, a.block) < std::tie(b.place, b.block);
  });
  Index bytes = 0, of_block = 0;
  for (std::size_t s = 0; s < stops.size(); ++s) {
    if (s > 0 && stops[s].block != stops[s - 1].block) bytes += std::exchange(of_block, 0);
    on_curve[stops[s].group][static_cast<std::size_t>(stops[s].number)] = {stops[s].block, bytes};
    of_block += groups_[stops[s].group].bytes;
  }
  return on_curve;
}

/// The share, of `n_shares`, of the byte in the middle of a piece.
Index IdxLayout::share_on_curve(const Place& place, const OnCurve& at, Index n_shares) const {
  const FieldPlace& field = present_[place.present_field];
  Index middle = at.bytes_before + field.bytes / 2;
  for (std::size_t g = 0; g < field.before.size(); ++g) {
    if (g == field.group || groups_[g].blocks->contains(at.block)) middle += field.before[g].bytes;
  }
  const double fraction = static_cast<double>(middle) / static_cast<double>(total_.bytes);
  return std::min(n_shares - 1, static_cast<Index>(fraction * static_cast<double>(n_shares)));
}

/// Calls visit(ordinal, block, share) for all pieces in file order.
template <class Visit>
void IdxLayout::for_each_share(const BrickDecomposition& bricks, const Visit& visit) const {
  std::vector<Index> dense;  // the shares of fine blocks are the same for all fields
  const Index coarse = is_sparse_ ? 0 : num_coarse(bricks.num_parts());
  if (!is_sparse_ && !groups_.empty()) {
    groups_.front().blocks->for_each(coarse, blocks_.num_existing(),
                                     [&](Index block) { dense.push_back(bricks.part_of(center_of(block))); });
  }
  const auto on_curve = is_sparse_ ? blocks_on_curve() : std::vector<std::vector<OnCurve>>();
  for (Index ordinal = 0; ordinal < total_.pieces;) {
    Place place = place_of(ordinal);
    const std::size_t group = present_[place.present_field].group;
    const BlockSet& blocks = *groups_[group].blocks;
    const auto share = [&] {
      if (is_sparse_) {
        const OnCurve& at = on_curve[group][static_cast<std::size_t>(place.number)];
        return share_on_curve(place, at, bricks.num_parts());
      }
      if (place.number >= coarse) return dense[static_cast<std::size_t>(place.number - coarse)];
      return share_of_coarse(place.number, static_cast<Index>(place.present_field), coarse,
                             bricks.num_parts());
    };
    blocks.for_each(place.number, end_number(place), [&](Index block) {
      visit(ordinal++, block, share());
      ++place.number;
    });
  }
}

std::vector<std::vector<Layout::Run>> IdxLayout::runs_of_shares(const BrickDecomposition& bricks) const {
  std::vector<std::vector<Run>> shares(static_cast<std::size_t>(bricks.num_parts()));
  for_each_share(bricks, [&](Index ordinal, Index, Index share) {
    append_to_runs(shares[static_cast<std::size_t>(share)], ordinal);
  });
  return shares;
}

// In a sparse step: the center of a block in the middle of those of the finest level in a share, which is
// about half of them.
std::vector<Point> IdxLayout::centers_of_shares(const BrickDecomposition& bricks) const {
  if (!is_sparse_) return Layout::centers_of_shares(bricks);
  std::vector<std::vector<Index>> blocks(static_cast<std::size_t>(bricks.num_parts()));
  for_each_share(bricks, [&](Index, Index block, Index share) {
    blocks[static_cast<std::size_t>(share)].push_back(block);
  });
  std::vector<Point> centers;
  for (std::vector<Index>& of_share : blocks) {
    std::sort(of_share.begin(), of_share.end());  // blocks of finer levels have higher numbers
    centers.push_back(of_share.empty() ? blocks_.box().lo : center_of(of_share[of_share.size() * 3 / 4]));
  }
  return centers;
}

/// The Z code, among the tiles of the finest level, of the first one in a block's tile. Blocks of a level are
/// numbered along the Z curve, below a leading bit.
Index IdxLayout::along_curve(Index block) const {
  const int num_digits = blocks_.mask().max_level() - blocks_.bits_per_block() - 1;  // of the finest tiles
  if (block < blocks_.num_first_blocks()) {
    const int further = num_digits - blocks_.brick_digits();
    return further >= 0 ? block << further : block >> 1;  // bricks of one block have no finer ones
  }
  const Index along_level = block - static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(block)));
  return along_level << (blocks_.mask().max_level() - blocks_.level_of_block(block));
}

// If patches are densest in memory along another axis than x, the bits of that axis come last, because
// neighbors along it share pages of memory.
Index IdxLayout::place_on_curve(const Piece& piece) const {
  const Bitmask& mask = blocks_.mask();
  const Index along_curve = this->along_curve(piece.id);
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
