#include "plan/relays.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "base/checked.h"
#include "grid/hz.h"

namespace esker {
namespace {

constexpr Index kFewRanks = 64;                        // receiving from so many costs nothing measurable
constexpr Index kManyRanks = 1024;                     // too many, whatever they send
constexpr Index kLargeMessageBytes = Index{32} << 10;  // the cost is proportional to the bytes

/// The bytes that an aggregator of average size collects in a round.
Index usual_buffer_bytes(const PieceSpace& space, const Ownership& ownership) {
  return std::min(ownership.buffer_bytes(), div_up(space.stored_bytes(), ownership.num_aggregators()));
}

/// An estimate of the number of boxes of extent `feeder` with samples of `n_pieces` pieces of a level. The
/// pieces are consecutive in the order of files. As that is a Z order, they are mostly neighbors in the grid,
/// too.
double estimate_boxes(const Box& domain, const Point& tile, double n_pieces, const Point& feeder) {
  const double widening = std::pow(n_pieces, 1.0 / domain.rank);
  double boxes = 1;
  for (int a = 0; a < domain.rank; ++a) {
    const auto whole = static_cast<double>(domain.extent(a));
    const double extent = std::min(whole, static_cast<double>(tile[a]) * widening);
    const auto one = static_cast<double>(feeder[a]);
    boxes *= std::min(std::ceil(whole / one), extent / one + 1);
  }
  return boxes;
}

/// Boxes cut at the multiples of `extent`.
BrickDecomposition regular_boxes(const Box& domain, const Point& extent) {
  std::vector<std::vector<Index>> cuts;
  for (int a = 0; a < domain.rank; ++a) {
    std::vector<Index>& on_axis = cuts.emplace_back();
    for (Index at = 0; at < domain.hi[a]; at += std::min(extent[a], domain.hi[a])) on_axis.push_back(at);
    on_axis.push_back(domain.hi[a]);
  }
  return BrickDecomposition::from_cuts(std::move(cuts)).value();
}

}  // namespace

int default_max_fan_in(int n_ranks, Index buffer_bytes) {
  const auto twice_the_root = static_cast<Index>(std::ceil(2 * std::sqrt(static_cast<double>(n_ranks))));
  const Index with_large_messages = std::min(kManyRanks, buffer_bytes / kLargeMessageBytes);
  return static_cast<int>(std::max({kFewRanks, twice_the_root, with_large_messages}));
}

Relays::Relays(const PieceSpace& space, const Ownership& ownership, const std::vector<FieldPatches>& fields,
               int n_ranks, const RelayRules& rules)
    : ownership_(&ownership), buffer_bytes_(usual_buffer_bytes(space, ownership)), n_ranks_(n_ranks) {
  for (const FieldPatches& field : fields) {
    const Layout& layout = space.layout(field.layout);
    const double n_pieces =
        static_cast<double>(buffer_bytes_) / static_cast<double>(layout.largest_piece_bytes());
    Need need{layout, field.holders->domain(), field.holders->typical_extent(), std::max(1.0, n_pieces)};
    VirtualGrid fine{layout.levels(), std::nullopt, false};
    double volume_ratio = 0;
    if (rules.restructure.boxes != Restructure::Boxes::kOff) {
      need.feeder = rules.restructure.box_extent(need.feeder);
      fine.boxes = regular_boxes(need.domain, need.feeder);
      volume_ratio = 1;
      for (int a = 0; a < need.domain.rank; ++a) {
        volume_ratio *= static_cast<double>(need.domain.hi[a]) / static_cast<double>(need.feeder[a]);
      }
    }
    volume_ratios_.push_back(volume_ratio);
    std::vector<VirtualGrid>& grids = relay_grids_.emplace_back();
    if (ownership.partitions()) {
      add_grids_in_partitions(need, fine, rules, ownership.partitions()->cut.tiles(field.layout), grids);
      continue;
    }
    const double limit = rules.max_fan_in > 0 ? rules.max_fan_in : default_max_fan_in(n_ranks, buffer_bytes_);
    grids.push_back(coarse_grid(need, field, limit));
    fine.levels.first = grids.back().levels.last;
    grids.push_back(std::move(fine));
  }
}

VirtualGrid Relays::coarse_grid(const Need& need, const FieldPatches& field, double limit) const {
  const Levels all = need.layout.levels();
  VirtualGrid coarse{{all.first, all.first}, field.holders->coarse_cut(), true};
  const auto is_coarse = [&](int level) {
    const double boxes =
        estimate_boxes(need.domain, need.layout.tile_extent(level), need.n_pieces, need.feeder);
    return std::min<double>(boxes, n_ranks_) > limit;  // a rank may hold several
  };
  while (coarse.boxes->num_parts() > 1 && coarse.levels.last < all.last && is_coarse(coarse.levels.last)) {
    ++coarse.levels.last;
  }
  return coarse;
}

/// Levels of the coarse part, those of a partition that need relays, and the other ones. Whether the second
/// need any depends on a partition of mean size alone, not on the number of partitions.
void Relays::add_grids_in_partitions(const Need& need, const VirtualGrid& fine, const RelayRules& rules,
                                     const TileCut& cut, std::vector<VirtualGrid>& grids) const {
  const Levels all = need.layout.levels();
  const Bitmask& mask = cut.blocks().mask();
  const int n_partitions = cut.num_partitions();
  const double n_boxes = estimate_boxes(need.domain, need.domain.hi, 1, need.feeder);
  const bool has_coarse_part = need.layout.own_partition() == nullptr;
  const int end_of_coarse = has_coarse_part ? std::min(all.last, cut.end_of_coarse_levels()) : all.first;
  const auto limit = [&](int n_ranks) {
    return rules.max_fan_in > 0 ? rules.max_fan_in : default_max_fan_in(n_ranks, buffer_bytes_);
  };
  const auto add = [&](Levels levels, double n_feeders) {
    if (levels.empty()) return;
    const int half = static_cast<int>(std::log2(std::max(1.0, n_feeders)) / 2);
    VirtualGrid grid{levels, std::nullopt, true, &cut};
    const int spare = n_feeders < n_boxes ? cut.digits() : 0;
    grid.digits = std::clamp(spare + half, cut.digits(), mask.max_level());
    grid.boxes = regular_boxes(need.domain, mask.pow2_sizes(grid.digits + 1, mask.max_level()));
    grids.push_back(std::move(grid));
  };
  const bool relays_coarse = std::min<double>(n_boxes, n_ranks_) > limit(n_ranks_);
  if (relays_coarse) add({all.first, end_of_coarse}, n_boxes);

  const int in_partition = std::max(1, n_ranks_ / n_partitions);
  const int log2 = static_cast<int>(std::bit_width(static_cast<unsigned>(n_partitions))) - 1;
  const int digits = std::min(log2, mask.max_level());
  Box brick = need.domain;
  const Point extent = mask.pow2_sizes(digits + 1, mask.max_level());
  for (int a = 0; a < brick.rank; ++a) brick.hi[a] = std::min(brick.hi[a], extent[a]);
  int end = end_of_coarse;
  while (end < all.last) {
    const double boxes = estimate_boxes(brick, need.layout.tile_extent(end), need.n_pieces, need.feeder);
    if (std::min<double>(boxes, in_partition) <= limit(in_partition)) break;
    ++end;
  }
  add({end_of_coarse, end}, n_boxes / n_partitions);
  if (!relays_coarse) {
    grids.push_back(fine);
    grids.back().levels = {all.first, end_of_coarse};
  }
  grids.push_back(fine);
  grids.back().levels.first = end;
}

/// Of all tiles with as many digits as those of the virtual grid, also where they are outside the domain.
Relays::TilesOfPartition Relays::tiles_of(int partition, const VirtualGrid& relay_grid) {
  const TileCut& cut = *relay_grid.tiles;
  const int further = relay_grid.digits - cut.digits();
  const Index first = cut.first_tile(partition);
  return {first << further, (cut.first_tile(partition + 1) - first) << further};
}

/// The box of a tile; -1 if the tile is outside the domain.
Index Relays::number_of_tile(Index tile, const VirtualGrid& relay_grid) {
  const Bitmask& mask = relay_grid.tiles->blocks().mask();
  const Point corner = point_from_z(mask, tile << (mask.max_level() - relay_grid.digits));
  return relay_grid.tiles->blocks().box().contains(corner) ? relay_grid.boxes->part_of(corner) : -1;
}

int Relays::coarse_relay(const VirtualGrid& relay_grid, Index number, int aggregator) const {
  if (!relay_grid.tiles) {
    return esker::coarse_relays(number, relay_grid.boxes->num_parts(), n_ranks_).of(aggregator);
  }
  const Bitmask& mask = relay_grid.tiles->blocks().mask();
  const Index z = z_from_point(mask, relay_grid.boxes->box(number).lo);
  const int partition = relay_grid.tiles->partition_of_z(z);
  const TilesOfPartition tiles = tiles_of(partition, relay_grid);
  const Index tile = (z >> (mask.max_level() - relay_grid.digits)) - tiles.first;
  const int n = ownership_->num_in_partition();
  return ownership_->rank_of(partition * n + esker::coarse_relays(tile, tiles.count, n).of(aggregator));
}

std::vector<Index> Relays::coarse_boxes_of(int rank, const VirtualGrid& relay_grid) const {
  if (!relay_grid.tiles) {
    return esker::coarse_boxes_of(rank, relay_grid.boxes->num_parts(), n_ranks_);
  }
  const int aggregator = ownership_->aggregator_of_rank(rank);
  if (aggregator < 0) return {};
  const int n = ownership_->num_in_partition();
  const TilesOfPartition tiles = tiles_of(aggregator / n, relay_grid);
  std::vector<Index> boxes;
  for (const Index tile : esker::coarse_boxes_of(aggregator % n, tiles.count, n)) {
    const Index number = number_of_tile(tiles.first + tile, relay_grid);
    if (number >= 0) boxes.push_back(number);
  }
  return boxes;
}

std::vector<Index> Relays::coarse_boxes_in(int partition, const VirtualGrid& relay_grid) const {
  const TilesOfPartition tiles = tiles_of(partition, relay_grid);
  std::vector<Index> boxes;
  for (Index tile = tiles.first; tile < tiles.first + tiles.count; ++tile) {
    const Index number = number_of_tile(tile, relay_grid);
    if (number >= 0) boxes.push_back(number);
  }
  return boxes;
}

const VirtualGrid& Relays::relay_grid(int field, int level) const {
  const std::vector<VirtualGrid>& all = relay_grids(field);
  return *std::find_if(all.begin(), all.end(),
                       [&](const VirtualGrid& w) { return w.levels.contains(level); });
}

CoarseRelays coarse_relays(Index box, Index n_boxes, int n_ranks) {
  const auto first = static_cast<int>(box * n_ranks / n_boxes);
  const auto last = static_cast<int>((box + 1) * n_ranks / n_boxes);
  return {first, std::max(first + 1, last)};
}

std::vector<Index> coarse_boxes_of(int rank, Index n_boxes, int n_ranks) {
  std::vector<Index> boxes;
  for (Index b = std::max<Index>(0, rank * n_boxes / n_ranks - 1); b < n_boxes; ++b) {
    const CoarseRelays relays = coarse_relays(b, n_boxes, n_ranks);
    if (relays.first > rank) break;
    if (relays.contains(rank)) boxes.push_back(b);
  }
  return boxes;
}

int RelayFinder::relay_of(int field, const VirtualGrid& relay_grid, Index number, int aggregator) {
  if (relay_grid.is_coarse) return relays_.coarse_relay(relay_grid, number, aggregator);
  return holder_of_most(field, relay_grid, number);
}

int RelayFinder::holder_of_most(int field, const VirtualGrid& relay_grid, Index number) {
  const Distribution& holders = *fields_[static_cast<std::size_t>(field)].holders;
  const auto [known, is_new] = holders_of_most_[&holders].try_emplace(number, -1);
  if (!is_new) return known->second;
  std::map<int, Index> held;
  const Box box = relay_grid.boxes->box(number);
  holders.for_each_meeting(
      box, [&](int rank, int, const Box& patch) { held[rank] += intersect(box, patch).num_samples(); });
  if (held.empty()) return -1;
  const auto most = std::max_element(held.begin(), held.end(), [](const auto& a, const auto& b) {
    return a.second < b.second;  // on a tie max_element takes the first, the lowest rank
  });
  return known->second = most->first;
}

std::vector<Index> RelayFinder::boxes_relayed_by(int rank, int field, const VirtualGrid& relay_grid) {
  if (relay_grid.is_coarse) return relays_.coarse_boxes_of(rank, relay_grid);
  std::set<Index> boxes;
  for (const Box& patch : fields_[static_cast<std::size_t>(field)].holders->boxes_of(rank)) {
    relay_grid.for_each_box(patch, [&](Index number, const Box&) { boxes.insert(number); });
  }
  std::erase_if(boxes, [&](Index number) { return holder_of_most(field, relay_grid, number) != rank; });
  return {boxes.begin(), boxes.end()};
}

}  // namespace esker
