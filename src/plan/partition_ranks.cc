#include "plan/partition_ranks.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "grid/hz.h"

namespace esker {
namespace {

/// The partition of each rank.
std::vector<int> partitions_of(const PartitionCut& cut, const std::vector<Index>& places) {
  std::vector<int> of_rank(places.size(), -1);
  std::vector<int> sizes(static_cast<std::size_t>(cut.num_partitions()));
  for (std::size_t r = 0; r < places.size(); ++r) {
    if (places[r] < 0) continue;
    of_rank[r] = cut.tiles(cut.main_layout()).partition_of_z(places[r]);
    ++sizes[static_cast<std::size_t>(of_rank[r])];
  }
  std::priority_queue<std::pair<int, int>, std::vector<std::pair<int, int>>, std::greater<>> smallest;
  for (int p = 0; p < cut.num_partitions(); ++p) smallest.emplace(sizes[static_cast<std::size_t>(p)], p);
  for (int& partition : of_rank) {
    if (partition >= 0) continue;
    const auto [size, fewest] = smallest.top();
    smallest.pop();
    smallest.emplace(size + 1, fewest);
    partition = fewest;
  }
  return of_rank;
}

/// -1 where a partition has too few ranks.
std::vector<int> choose_aggregators(const std::vector<int>& of_rank, const std::vector<Index>& places,
                                    int n_partitions, int num_in_partition) {
  std::vector<int> in_order(of_rank.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  std::sort(in_order.begin(), in_order.end(), [&](int a, int b) {
    const auto key = [&](int rank) {
      const auto r = static_cast<std::size_t>(rank);
      return std::tuple(of_rank[r], places[r] < 0, places[r], rank);  // ranks without data come last
    };
    return key(a) < key(b);
  });
  std::vector<int> chosen;
  auto first = in_order.begin();
  for (int p = 0; p < n_partitions; ++p) {
    const auto last = std::partition_point(
        first, in_order.end(), [&](int rank) { return of_rank[static_cast<std::size_t>(rank)] <= p; });
    const auto size = static_cast<int>(last - first);
    for (int k = 0; k < num_in_partition; ++k) {
      const bool has_enough = size >= num_in_partition;
      const Index number = has_enough ? share(size, k, num_in_partition) : k;
      chosen.push_back(number < size ? *(first + number) : -1);
    }
    first = last;
  }
  return chosen;
}

}  // namespace

Index place_of_rank(const PartitionCut& cut, const std::vector<FieldPatches>& fields, int rank) {
  const auto of_layout = std::find_if(fields.begin(), fields.end(), [&](const FieldPatches& field) {
    return field.layout == cut.main_layout();
  });
  if (of_layout == fields.end()) return -1;
  Index place = -1, most = 0;
  for (const Box& box : of_layout->holders->boxes_of(rank)) {
    if (box.empty() || box.num_samples() <= most) continue;
    most = box.num_samples();
    Point center{};
    for (int a = 0; a < box.rank; ++a) center[a] = box.lo[a] + (box.hi[a] - box.lo[a]) / 2;
    place = z_from_point(cut.tiles(cut.main_layout()).blocks().mask(), center);
  }
  return place;
}

Placement place_in_partitions(PartitionCut cut, const std::vector<Index>& places, int num_in_partition) {
  Placement placement;
  std::vector<int> of_rank = partitions_of(cut, places);
  placement.ranks = choose_aggregators(of_rank, places, cut.num_partitions(), num_in_partition);
  std::vector<bool> taken(places.size());
  for (const int rank : placement.ranks) {
    if (rank >= 0) taken[static_cast<std::size_t>(rank)] = true;
  }
  std::size_t free = 0;
  for (int& rank : placement.ranks) {
    if (rank >= 0) continue;
    while (taken[free]) ++free;
    rank = static_cast<int>(free++);
  }
  placement.partitions =
      std::make_shared<const PartitionedRanks>(PartitionedRanks{std::move(cut), std::move(of_rank)});
  return placement;
}

void count_partition_traffic(const PieceSpace& space, const Ownership& ownership, int rank, Plan& plan) {
  const PartitionedRanks& partitions = *ownership.partitions();
  const int mine = partitions.of_rank[static_cast<std::size_t>(rank)];
  const auto is_coarse = [&](const Segment& segment) {
    return partitions.cut.partition_of(space.first_piece_from(segment.position + 1) - 1) < 0;
  };
  const auto add = [&](const Message& message, bool round_is_coarse) {
    Index coarse = round_is_coarse ? message.bytes : 0;
    if (ownership.is_local()) {  // the coarse part has no rounds
      for (const Segment& segment : message.segments) coarse += is_coarse(segment) ? segment.bytes() : 0;
    }
    plan.traffic.coarse_bytes += coarse;
    if (coarse == message.bytes) ++plan.traffic.coarse_messages;
    const bool crosses = partitions.of_rank[static_cast<std::size_t>(message.peer)] != mine;
    if (!crosses || coarse == message.bytes) return;
    ++plan.traffic.crossing_messages;
    plan.traffic.crossing_bytes += message.bytes - coarse;
  };
  for (std::size_t r = 0; r < plan.rounds.size(); ++r) {
    const Round& round = plan.rounds[r];
    for (const auto* list : {&round.relay.sends, &round.sends, &round.places}) {
      for (const Message& message : *list)
        add(message, static_cast<Index>(r) < ownership.num_coarse_rounds());
    }
  }
}

}  // namespace esker
