#include "plan/relays.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/checked.h"

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
    : n_ranks_(n_ranks) {
  const Index buffer = usual_buffer_bytes(space, ownership);
  const double limit = rules.max_fan_in > 0 ? rules.max_fan_in : default_max_fan_in(n_ranks, buffer);
  for (const FieldPatches& field : fields) {
    const Layout& layout = space.layout(field.layout);
    const Box domain = field.holders->domain();
    const Levels all = layout.levels();
    VirtualGrid fine{all, std::nullopt, false};
    Point feeder = field.holders->typical_extent();
    double volume_ratio = 0;
    if (rules.restructure.boxes != Restructure::Boxes::kOff) {
      feeder = rules.restructure.box_extent(feeder);
      fine.boxes = regular_boxes(domain, feeder);
      volume_ratio = 1;
      for (int a = 0; a < domain.rank; ++a) {
        volume_ratio *= static_cast<double>(domain.hi[a]) / static_cast<double>(feeder[a]);
      }
    }
    VirtualGrid coarse{{all.first, all.first}, field.holders->coarse_cut(), true};
    const double n_pieces =
        std::max(1.0, static_cast<double>(buffer) / static_cast<double>(layout.largest_piece_bytes()));
    const auto is_coarse = [&](int level) {
      const double boxes = estimate_boxes(domain, layout.tile_extent(level), n_pieces, feeder);
      return std::min<double>(boxes, n_ranks) > limit;  // a rank may hold several
    };
    while (coarse.boxes->num_parts() > 1 && coarse.levels.last < all.last && is_coarse(coarse.levels.last)) {
      ++coarse.levels.last;
    }
    fine.levels.first = coarse.levels.last;
    volume_ratios_.push_back(volume_ratio);
    relay_grids_.push_back({std::move(coarse), std::move(fine)});
  }
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
  if (relay_grid.is_coarse)
    return coarse_relays(number, relay_grid.boxes->num_parts(), relays_.num_ranks()).of(aggregator);
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
  if (relay_grid.is_coarse) return coarse_boxes_of(rank, relay_grid.boxes->num_parts(), relays_.num_ranks());
  std::set<Index> boxes;
  for (const Box& patch : fields_[static_cast<std::size_t>(field)].holders->boxes_of(rank)) {
    relay_grid.for_each_box(patch, [&](Index number, const Box&) { boxes.insert(number); });
  }
  std::erase_if(boxes, [&](Index number) { return holder_of_most(field, relay_grid, number) != rank; });
  return {boxes.begin(), boxes.end()};
}

}  // namespace esker
