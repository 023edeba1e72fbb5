// One contiguous get per message, directly from the send buffer of the other rank.
//
// While planning, each sender sends the offsets of its messages to their receivers. In a stage it packs them
// and signals that. Each receiver gets its messages and signals completion. Ranks without messages for each
// other do not wait for each other.
#pragma once

#include "exchange/message_transport.h"
#include "exchange/transports/remote_places.h"

namespace esker {

class GetMessages final : public MessageTransport {
 public:
  Status prepare(Comm& comm, const Plan& plan) override {
    return places_.find(comm, plan, RemotePlaces::AnnouncedBy::kSenders);
  }
  [[nodiscard]] bool is_one_sided() const override { return true; }
  void begin(const Stage& stage) override;
  void send(const Message&) override {}
  void end_sends() override;
  [[nodiscard]] int next_received() override;
  void finish() override;

 private:
  RemotePlaces places_;
  Stage stage_;
  bool arrived_ = false;  // whether all messages of the stage have arrived
  std::size_t next_ = 0;  // the next message to return
};

}  // namespace esker
