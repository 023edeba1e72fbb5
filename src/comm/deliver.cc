#include "comm/deliver.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"

namespace esker {
namespace {

constexpr std::size_t kFewSenders = 32;  // typical: the neighbors in three dimensions, rounded up
constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 30;

Result<std::vector<PeerSize>> sizes_of(std::span<const OutgoingMessage> messages) {
  std::vector<PeerSize> sizes;
  for (const OutgoingMessage& message : messages) {
    if (message.bytes.size() > kMaxMessageBytes) {
      return error(Code::kUnsupported,
                   "{} bytes for rank {}: metadata messages of at most 1 GiB are supported",
                   message.bytes.size(), message.to);
    }
    sizes.push_back({message.to, message.bytes.size()});
  }
  return sizes;
}

/// Allocates memory for the bytes of `senders`, and assigns each delivery its part of it.
void make_room(std::span<const PeerSize> senders, Deliveries& received) {
  std::size_t total = 0;
  for (const PeerSize& sender : senders) total += sender.bytes;
  received.joined.reset(new std::byte[total]);
  std::byte* next = received.joined.get();
  received.deliveries.reserve(senders.size());
  for (const PeerSize& sender : senders) {
    received.deliveries.push_back({sender.peer, {next, static_cast<std::size_t>(sender.bytes)}});
    next += sender.bytes;
  }
}

}  // namespace

Result<Deliveries> deliver(Comm& comm, std::span<const OutgoingMessage> messages, std::size_t expected) {
  return deliver(comm, Status(), messages, expected);
}

// The sizes are exchanged before memory is allocated for the bytes. If some ranks have too few entries for
// all sizes, they learn how many they need, and all ranks repeat the exchange.
Result<Deliveries> deliver(Comm& comm, const Status& made, std::span<const OutgoingMessage> messages,
                           std::size_t expected) {
  std::vector<PeerSize> to, from;
  const auto prepare = [&]() -> Status {
    ESKER_RETURN_IF_ERROR(made);
    ESKER_ASSIGN_OR_RETURN(to, sizes_of(messages));
    from.resize(std::max(expected, kFewSenders));
    comm.reserve_transfers(messages.size(), 0);
    return {};
  };
  ESKER_RETURN_IF_ERROR(all_do(comm, "deliver", prepare));
  Deliveries received;
  for (bool again = true; again;) {
    const std::size_t n_senders = comm.exchange_sizes(to, from);
    const bool too_many = n_senders > from.size();
    const Status mine = guarded("deliver", [&] {
      from.resize(n_senders);
      if (too_many) return Status();
      std::sort(from.begin(), from.end(),
                [](const PeerSize& a, const PeerSize& b) { return a.peer < b.peer; });
      received = Deliveries();
      make_room(from, received);
      comm.reserve_transfers(messages.size(), n_senders);
      return Status();
    });
    ESKER_RETURN_IF_ERROR(agree(comm, Ballot{mine, "", 0, "", too_many}, &again));
  }
  std::byte* next = received.joined.get();
  for (const Delivery& delivery : received.deliveries) {
    comm.start_receive({next, delivery.bytes.size()}, delivery.rank);
    next += delivery.bytes.size();
  }
  for (const OutgoingMessage& message : messages) comm.start_send(message.bytes, message.to);
  comm.finish();
  return received;
}

}  // namespace esker
