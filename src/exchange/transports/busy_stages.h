// Finds the hops of an exchange that move messages. A transport that involves all ranks skips the other hops.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/comm.h"
#include "plan/plan.h"

namespace esker {

class BusyHops {
 public:
  /// Collective, with the ranks' plans of one exchange; errors are those of all ranks.
  Status find(Comm& comm, const Plan& plan);
  /// Whether any rank has a message in that hop; the same on all ranks.
  [[nodiscard]] bool is_busy(std::size_t hop) const { return busy_[hop] != 0; }
  [[nodiscard]] bool any() const;

 private:
  std::vector<std::uint64_t> busy_;  // [hop]
};

}  // namespace esker
