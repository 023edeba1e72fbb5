#include "write/placement.h"

#include <algorithm>
#include <cstdint>

#include "base/macros.h"
#include "comm/agree.h"

namespace esker {

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

Result<std::vector<int>> place_aggregators(Comm& comm, const Layout& layout, const std::vector<Box>& mine,
                                           int n_aggregators) {
  std::vector<std::uint64_t> holders;  // rank + 1, 0: none
  std::vector<int> ranks;
  ESKER_RETURN_IF_ERROR(all_do(comm, "place aggregators", [&] {
    ranks.resize(static_cast<std::size_t>(n_aggregators));
    for (int a = 0; a < n_aggregators; ++a) {
      const Point middle = layout.middle_of_share(a, n_aggregators);
      const bool is_mine =
          std::any_of(mine.begin(), mine.end(), [&](const Box& box) { return box.contains(middle); });
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

}  // namespace esker
