// Finds the stages of an exchange that move messages. A transport that involves all ranks, or all of a group,
// skips the other stages.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/comm.h"
#include "plan/plan.h"

namespace esker {

class BusyStages {
 public:
  /// Collective, with the ranks' plans of one exchange; errors are those of all ranks. `group`: `comm`, or
  /// the ranks of it that wait for each other.
  Status find(Comm& comm, Comm& group, const Plan& plan);
  /// Whether any rank of the group has a message in that stage; the same on all of them.
  [[nodiscard]] bool is_busy(std::size_t stage) const { return busy_[stage] != 0; }
  [[nodiscard]] bool any() const;

 private:
  std::vector<std::uint64_t> busy_;  // [stage]
};

}  // namespace esker
