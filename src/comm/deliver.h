// Deliveries: bytes for ranks that do not know their senders.
//
//   ESKER_ASSIGN_OR_RETURN(const Deliveries received, deliver(comm, messages));
//   for (const Delivery& from : received.deliveries) read(from.rank, from.bytes);
//
// The cost on a rank depends on its partners, plus a few small collectives. It does not grow with the
// group.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "esker/types/status.hpp"

namespace esker {

/// The bytes that a rank has for another rank or for itself. The caller owns the bytes.
struct OutgoingMessage {
  int to = 0;
  std::span<const std::byte> bytes;
};

struct Delivery {
  int rank = 0;  ///< the sender
  std::span<const std::byte> bytes;
};

/// The messages that this rank has received, by ascending sender.
struct Deliveries {
  std::unique_ptr<std::byte[]> joined;
  std::vector<Delivery> deliveries;
};

/// Sends each message, at most one per receiver, and returns the messages for this rank. `expected` is a
/// guess of their number: a guess that is too low costs a second round. Collective; errors are those of all
/// ranks: kOutOfMemory, kUnsupported for a message of more than 1 GiB.
Result<Deliveries> deliver(Comm& comm, std::span<const OutgoingMessage> messages, std::size_t expected = 0);
/// The same after local work that made the messages: an error of it on any rank is returned on all ranks.
/// Saves a separate agreement.
Result<Deliveries> deliver(Comm& comm, const Status& made, std::span<const OutgoingMessage> messages,
                           std::size_t expected = 0);

}  // namespace esker
