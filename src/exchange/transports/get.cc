#include "exchange/transports/get.h"

namespace esker {

void GetMessages::begin(const Stage& stage) {
  stage_ = stage;
  next_ = 0;
  arrived_ = false;
}

void GetMessages::end_sends() {
  if (!stage_.sends->empty()) memory().remote->post(places_.stage(stage_.number).notified);
}

int GetMessages::next_received() {
  if (next_ == stage_.receives->size()) return -1;
  if (!arrived_) {
    const RemotePlaces::Stage& places = places_.stage(stage_.number);
    RemoteMemory& remote = *memory().remote;
    remote.start(places.peers);
    for (std::size_t m = 0; m < stage_.receives->size(); ++m) {
      const Message& message = (*stage_.receives)[m];
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
  if (!stage_.sends->empty()) memory().remote->wait();
}

}  // namespace esker
