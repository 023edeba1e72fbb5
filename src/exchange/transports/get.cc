#include "exchange/transports/get.h"

namespace esker {

void GetMessages::begin(const Hop& hop) {
  hop_ = hop;
  next_ = 0;
  arrived_ = false;
}

void GetMessages::end_sends() {
  if (!hop_.sends->empty()) memory().remote->post(places_.hop(hop_.number).told);
}

int GetMessages::next_received() {
  if (next_ == hop_.receives->size()) return -1;
  if (!arrived_) {
    const RemotePlaces::Hop& places = places_.hop(hop_.number);
    RemoteMemory& remote = *memory().remote;
    remote.start(places.peers);
    for (std::size_t m = 0; m < hop_.receives->size(); ++m) {
      const Message& message = (*hop_.receives)[m];
      const auto target = memory().receive.subspan(static_cast<std::size_t>(message.offset_bytes),
                                                   static_cast<std::size_t>(message.bytes));
      remote.get(target, message.peer, places.offsets[m]);
    }
    remote.complete();
    arrived_ = true;
  }
  return static_cast<int>(next_++);
}

void GetMessages::finish() {
  if (!hop_.sends->empty()) memory().remote->wait();
}

}  // namespace esker
