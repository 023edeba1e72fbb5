// The transports by name.
#pragma once

#include <memory>

#include "exchange/message_transport.h"

namespace esker {

/// What moves the messages that `transport` leaves to be sent. Local.
std::unique_ptr<MessageTransport> make_message_transport(Transport transport);

}  // namespace esker
