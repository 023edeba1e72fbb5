// Makes the transport that a policy selects.
#pragma once

#include <memory>

#include "exchange/message_transport.h"
#include "plan/policy.h"

namespace esker {

/// The transport for messages between ranks; `combined`: by node, see combine_by_node(). Local.
std::unique_ptr<MessageTransport> make_message_transport(const ExchangePolicy& policy, bool combined,
                                                         int n_ranks);

}  // namespace esker
