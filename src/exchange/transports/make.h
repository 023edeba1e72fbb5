// The transport that a policy asks for.
#pragma once

#include <memory>

#include "exchange/message_transport.h"
#include "plan/policy.h"

namespace esker {

/// What moves the messages that are left to be sent; `combined`: by node, see combine_by_node(). Local.
std::unique_ptr<MessageTransport> make_message_transport(const ExchangePolicy& policy, bool combined, int n_ranks);

}  // namespace esker
