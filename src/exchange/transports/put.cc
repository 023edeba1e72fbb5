#include "exchange/transports/put.h"

#include "base/macros.h"
#include "comm/agree.h"

namespace esker {

Status PutMessages::prepare(Comm& comm, const Plan& plan) {
  ESKER_RETURN_IF_ERROR(places_.find(comm, plan, RemotePlaces::AnnouncedBy::kReceivers));
  if (sources_) {
    ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
      sources_->prepare(comm, plan);
      return Status();
    }));
  }
  if (synchronization_ != Synchronization::kFence) return {};
  return busy_.find(comm, group_ ? *group_->comm : comm, plan);
}

void PutMessages::fence() {
  RemoteMemory& remote = *memory().remote;
  if (group_) {
    remote.fence_in(*group_->comm);
  } else {
    remote.fence();
  }
}

void PutMessages::begin(const Stage& stage) {
  stage_ = stage;
  next_ = 0;
  arrived_ = false;
  if (synchronization_ == Synchronization::kPairs) {
    if (!stage.receives->empty()) memory().remote->post(places_.stage(stage.number).notified);
  } else if (busy_.is_busy(stage.number)) {
    fence();
  }
}

void PutMessages::end_sends() {
  if (stage_.sends->empty()) return;
  RemoteMemory& remote = *memory().remote;
  const RemotePlaces::Stage& places = places_.stage(stage_.number);
  if (synchronization_ == Synchronization::kPairs) remote.start(places.peers);
  for (std::size_t m = 0; m < stage_.sends->size(); ++m) {
    const Message& message = (*stage_.sends)[m];
    if (sources_) {
      const auto [source, base] = sources_->of(stage_.number, m);
      remote.put(*source, base, message.peer, places.offsets[m]);
    } else {
      remote.put(target(message), message.peer, places.offsets[m]);
    }
  }
  if (synchronization_ == Synchronization::kPairs) remote.complete();
}

int PutMessages::next_received() {
  if (!arrived_) {
    if (synchronization_ == Synchronization::kPairs) {
      if (!stage_.receives->empty()) memory().remote->wait();
    } else if (busy_.is_busy(stage_.number)) {
      fence();
    }
    arrived_ = true;
  }
  return next_ < stage_.receives->size() ? static_cast<int>(next_++) : -1;
}

}  // namespace esker
