// Makes the transport that a policy selects.
#pragma once

#include <memory>

#include "exchange/message_transport.h"
#include "exchange/transports/rank_group.h"
#include "plan/policy.h"

namespace esker {

/// Whether all ranks that the transport knows wait for each other.
bool waits_for_all(const ExchangePolicy& policy, int n_ranks);

/// The transport for messages between ranks. `combined`: by node, see combine_by_node(). `group`: the ranks
/// of this rank's partition, for a transport that waits_for_all(); null: the exchange is not divided. Local.
std::unique_ptr<MessageTransport> make_message_transport(const ExchangePolicy& policy, bool combined,
                                                         int n_ranks, std::shared_ptr<const RankGroup> group);

}  // namespace esker
