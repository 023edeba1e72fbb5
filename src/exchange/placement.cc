#include "exchange/placement.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/checked.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "plan/bricks.h"
#include "plan/partition_ranks.h"
#include "plan/step_cut.h"

namespace esker {
namespace {

/// The layout with the most stored bytes.
int largest_layout(const PieceSpace& space) {
  int largest = 0;
  for (int number = 1; number < space.num_layouts(); ++number) {
    const bool is_larger = space.layout(number).stored_bytes() > space.layout(largest).stored_bytes();
    if (is_larger) largest = number;
  }
  return largest;
}

/// For each center this rank + 1 if it holds the center in one of its boxes of a layout, else 0.
std::vector<std::uint64_t> held_centers(const std::vector<Point>& centers,
                                        const std::vector<FieldPatches>& fields, int layout, int rank) {
  const auto of_layout = std::find_if(fields.begin(), fields.end(),
                                      [&](const FieldPatches& field) { return field.layout == layout; });
  const std::vector<Box> mine = of_layout->holders->boxes_of(rank);
  std::vector<std::uint64_t> holders;
  for (const Point& center : centers) {
    const bool is_mine =
        std::any_of(mine.begin(), mine.end(), [&](const Box& box) { return box.contains(center); });
    holders.push_back(is_mine ? static_cast<std::uint64_t>(rank) + 1 : 0);
  }
  return holders;
}

/// For each brick (at most comm.size()) of the largest layout the rank whose box contains its center, or
/// another rank if that one aggregates already; it aggregates that brick of all layouts. Collective.
Result<Placement> place_at_centers(Comm& comm, const PieceSpace& space,
                                   const std::vector<FieldPatches>& fields, int n) {
  Placement placement;
  std::vector<std::uint64_t> holders;
  ESKER_RETURN_IF_ERROR(all_do(comm, "place aggregators", [&] {
    placement.bricks = bricks_of_layouts(space, fields, n);
    const int largest = largest_layout(space);
    const BrickDecomposition& bricks = placement.bricks[static_cast<std::size_t>(largest)];
    holders = held_centers(space.layout(largest).centers_of_shares(bricks), fields, largest, comm.rank());
    return Status();
  }));
  comm.all_reduce_max(holders);
  ESKER_RETURN_IF_ERROR(all_do(comm, "place aggregators", [&] {
    for (const std::uint64_t holder : holders) placement.ranks.push_back(static_cast<int>(holder) - 1);
    make_different(placement.ranks, comm.size());
    return Status();
  }));
  return placement;
}

/// Ranks of the partitions that their data lie in. O(ranks). Collective.
Result<Placement> place_by_partition(Comm& comm, const PieceSpace& space,
                                     const std::vector<FieldPatches>& fields, const ExchangePolicy& policy,
                                     bool by_tiles) {
  Placement placement;
  std::optional<PartitionCut> cut;
  std::vector<std::uint64_t> found;
  std::uint64_t mine = 0;  // place + 1
  ESKER_RETURN_IF_ERROR(all_do(comm, "place aggregators", [&] {
    cut.emplace(space, policy.partitions, policy.in_file_order);
    mine = static_cast<std::uint64_t>(place_of_rank(*cut, fields, comm.rank()) + 1);
    found.resize(static_cast<std::size_t>(comm.size()));
    return Status();
  }));
  comm.all_gather(mine, found);
  ESKER_RETURN_IF_ERROR(all_do(comm, "place aggregators", [&] {
    std::vector<Index> places;
    for (const std::uint64_t place : found) places.push_back(static_cast<Index>(place) - 1);
    const int n = num_aggregators(policy, comm.size(), space) / policy.partitions;
    placement = place_in_partitions(std::move(*cut), places, n);
    placement.by_tiles = by_tiles;
    return Status();
  }));
  return placement;
}

}  // namespace

void make_different(std::vector<int>& ranks, int n_ranks) {
  std::vector<bool> taken(static_cast<std::size_t>(n_ranks));
  std::vector<std::size_t> again;
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    if (ranks[a] < 0 || taken[static_cast<std::size_t>(ranks[a])]) {
      again.push_back(a);
    } else {
      taken[static_cast<std::size_t>(ranks[a])] = true;
    }
  }
  for (const std::size_t a : again) {
    int rank = std::max(ranks[a], 0);
    while (taken[static_cast<std::size_t>(rank)]) rank = (rank + 1) % n_ranks;
    taken[static_cast<std::size_t>(rank)] = true;
    ranks[a] = rank;
  }
}

Result<std::vector<int>> spread_over_nodes(Comm& comm, int n_aggregators) {
  std::vector<std::uint64_t> found;  // rank + 1
  std::vector<int> ranks;
  ESKER_RETURN_IF_ERROR(all_do(comm, "place aggregators", [&] {
    found.resize(static_cast<std::size_t>(n_aggregators));
    ranks.resize(found.size());
    return Status();
  }));
  // This rank's index in the list of ranks sorted by node. The first rank of a node counts for the whole
  // node.
  const auto size_of_node = static_cast<std::uint64_t>(comm.node().size());
  const std::uint64_t before = comm.sum_before(comm.node().rank() == 0 ? size_of_node : 0);
  std::array<std::uint64_t, 1> begin{comm.node().rank() == 0 ? before : 0};
  comm.node().all_reduce_max(begin);
  const Index number = static_cast<Index>(begin[0]) + comm.node().rank();
  const Index n = n_aggregators, n_ranks = comm.size();
  const Index a = div_up(number * n, n_ranks);  // the first with an index at or after this rank's
  if (a < n && a * n_ranks / n == number) found[static_cast<std::size_t>(a)] = comm.rank() + 1u;
  comm.all_reduce_max(found);
  std::transform(found.begin(), found.end(), ranks.begin(),
                 [](std::uint64_t rank) { return static_cast<int>(rank) - 1; });
  return ranks;
}

Result<Placement> place_aggregators(Comm& comm, const PieceSpace& space,
                                    const std::vector<FieldPatches>& fields, const ExchangePolicy& policy) {
  const int n = num_aggregators(policy, comm.size(), space);
  Placement placement;
  if (policy.domains_of_layout) {
    ESKER_RETURN_IF_ERROR(all_do(comm, "place aggregators", [&] {
      placement.bricks = bricks_of_layouts(space, fields, n);
      return Status();
    }));
    ESKER_ASSIGN_OR_RETURN(placement.ranks, spread_over_nodes(comm, n));
    return placement;
  }
  const bool is_one_node = comm.node().size() == comm.size();
  const bool at_centers =
      policy.placement == AggregatorPlacement::kAuto && policy.shares_memory() && !policy.in_file_order;
  if (policy.partitions > 0 && comm.size() > 1 && space.num_pieces() > 0) {
    return place_by_partition(comm, space, fields, policy, at_centers && is_one_node);
  }
  if (at_centers && is_one_node && space.num_pieces() > 0) return place_at_centers(comm, space, fields, n);
  if (policy.placement != AggregatorPlacement::kRanks && !is_one_node && n < comm.size()) {
    ESKER_ASSIGN_OR_RETURN(placement.ranks, spread_over_nodes(comm, n));
  }
  return placement;
}

}  // namespace esker
