// RankGroup: the ranks of a partition, which wait for each other and for no others.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "comm/comm.h"

namespace esker {

/// Some ranks of a Comm, this one included, as a separate Comm.
struct RankGroup {
  std::shared_ptr<Comm> comm;
  std::vector<int> ranks;  ///< in the order of `comm`: their numbers in the whole Comm, ascending

  /// The number in `comm` of a rank of the whole Comm; -1 if it is not in the group.
  [[nodiscard]] int number_of(int rank) const {
    const auto found = std::lower_bound(ranks.begin(), ranks.end(), rank);
    return found != ranks.end() && *found == rank ? static_cast<int>(found - ranks.begin()) : -1;
  }
};

}  // namespace esker
