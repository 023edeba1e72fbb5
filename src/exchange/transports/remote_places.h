// RemotePlaces: where messages stand in the memory that other ranks expose.
#pragma once

#include <cstddef>
#include <vector>

#include "comm/comm.h"
#include "plan/plan.h"

namespace esker {

class RemotePlaces {
 public:
  /// Which end of a message tells the other one where it stands: who receives it, so that it can be put
  /// there, or who sends it, so that it can be got from there.
  enum class Told { kByReceivers, kBySenders };

  /// Tells and hears it, for all hops. Collective, with the ranks' plans of one exchange; errors are those of
  /// all ranks.
  Status find(Comm& comm, const Plan& plan, Told told);

  /// What this rank knows of the others in one hop.
  struct Hop {
    std::vector<int> told;             ///< ranks that this one has told, one per message
    std::vector<int> peers;            ///< who has told this one, in the order of its own messages
    std::vector<std::size_t> offsets;  ///< where each of these messages begins in that rank's memory
  };
  [[nodiscard]] const Hop& hop(std::size_t number) const { return hops_[number]; }

 private:
  std::vector<Hop> hops_;
};

}  // namespace esker
