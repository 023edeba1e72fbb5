// RemotePlaces: offsets of messages in the memory that other ranks expose.
#pragma once

#include <cstddef>
#include <vector>

#include "comm/comm.h"
#include "plan/plan.h"

namespace esker {

class RemotePlaces {
 public:
  /// The end of a message that sends its offset to the other end: the receiver, so that the message can be
  /// put there, or the sender, so that it can be got from there.
  enum class AnnouncedBy { kReceivers, kSenders };

  /// Exchanges the offsets for all stages. Collective, with the ranks' plans of one exchange; errors are
  /// those of all ranks.
  Status find(Comm& comm, const Plan& plan, AnnouncedBy announced_by);

  /// The offsets that this rank has received for one stage.
  struct Stage {
    std::vector<int> notified;         ///< ranks that this one has sent offsets to, one per message
    std::vector<int> peers;            ///< ranks that have sent offsets, in the order of this rank's messages
    std::vector<std::size_t> offsets;  ///< the start of each of these messages in the memory of its peer
  };
  [[nodiscard]] const Stage& stage(std::size_t number) const { return stages_[number]; }

 private:
  std::vector<Stage> stages_;
};

}  // namespace esker
