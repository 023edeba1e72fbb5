#include "write/placement.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/checked.h"
#include "base/macros.h"
#include "comm/agree.h"

namespace esker {

bool has_shares(const FilePattern& pattern, const StepLayouts& layouts, const PieceSpace& space) {
  return pattern.pattern != WritePattern::kContiguous && layouts.shares_a_file() && space.num_pieces() > 0;
}

std::vector<BrickDecomposition> bricks_of_layouts(const PieceSpace& space,
                                                  const std::vector<FieldPatches>& fields, int n) {
  std::vector<BrickDecomposition> bricks;
  for (int number = 0; number < space.num_layouts(); ++number) {
    const auto of_layout = std::find_if(fields.begin(), fields.end(),
                                        [&](const FieldPatches& field) { return field.layout == number; });
    const Distribution& holders = *of_layout->holders;
    bricks.push_back(bricks_like(holders.domain(), holders.typical_extent(), n));
  }
  return bricks;
}

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

Result<std::vector<int>> place_aggregators(Comm& comm, const BrickDecomposition& bricks,
                                           const PatchBoxes& mine) {
  std::vector<std::uint64_t> holders;  // rank + 1, 0: none
  std::vector<int> ranks;
  ESKER_RETURN_IF_ERROR(all_do(comm, "place aggregators", [&] {
    ranks.resize(static_cast<std::size_t>(bricks.num_parts()));
    for (Index b = 0; b < bricks.num_parts(); ++b) {
      const Box brick = bricks.box(b);
      Point middle{};
      for (int a = 0; a < brick.rank; ++a) middle[a] = (brick.lo[a] + brick.hi[a]) / 2;
      const bool is_mine = !brick.empty() && std::any_of(mine.begin(), mine.end(), [&](const Box& box) {
        return box.contains(middle);
      });
      holders.push_back(is_mine ? static_cast<std::uint64_t>(comm.rank()) + 1 : 0);
    }
    return Status();
  }));
  comm.all_reduce_max(holders);
  ESKER_RETURN_IF_ERROR(all_do(comm, "place aggregators", [&] {
    std::transform(holders.begin(), holders.end(), ranks.begin(),
                   [](std::uint64_t holder) { return static_cast<int>(holder) - 1; });
    make_different(ranks, comm.size());
    return Status();
  }));
  return ranks;
}

Result<std::vector<int>> spread_over_nodes(Comm& comm, int n_aggregators) {
  std::vector<std::uint64_t> found;  // rank + 1
  std::vector<int> ranks;
  ESKER_RETURN_IF_ERROR(all_do(comm, "place aggregators", [&] {
    found.resize(static_cast<std::size_t>(n_aggregators));
    ranks.resize(found.size());
    return Status();
  }));
  // This rank's number in the list: the first rank of a node counts for all of it.
  const auto size_of_node = static_cast<std::uint64_t>(comm.node().size());
  const std::uint64_t before = comm.sum_before(comm.node().rank() == 0 ? size_of_node : 0);
  std::array<std::uint64_t, 1> begin{comm.node().rank() == 0 ? before : 0};
  comm.node().all_reduce_max(begin);
  const Index number = static_cast<Index>(begin[0]) + comm.node().rank();
  const Index n = n_aggregators, n_ranks = comm.size();
  const Index a = div_up(number * n, n_ranks);  // the first one whose place is not before this rank's
  if (a < n && a * n_ranks / n == number) found[static_cast<std::size_t>(a)] = comm.rank() + 1u;
  comm.all_reduce_max(found);
  std::transform(found.begin(), found.end(), ranks.begin(),
                 [](std::uint64_t rank) { return static_cast<int>(rank) - 1; });
  return ranks;
}

}  // namespace esker
