// One contiguous get per message, straight from the send buffer of the other rank.
//
// While planning, each sender tells its receivers where their messages begin. In a hop it packs them and says
// so; each receiver gets its own and says that it has them. Ranks without messages for each other do not wait
// for each other.
#pragma once

#include "exchange/message_transport.h"
#include "exchange/transports/remote_places.h"

namespace esker {

class GetMessages final : public MessageTransport {
 public:
  Status prepare(Comm& comm, const Plan& plan) override {
    return places_.find(comm, plan, RemotePlaces::Told::kBySenders);
  }
  [[nodiscard]] bool is_one_sided() const override { return true; }
  void begin(const Hop& hop) override;
  void send(const Message&) override {}
  void end_sends() override;
  [[nodiscard]] int next_received() override;
  void finish() override;

 private:
  RemotePlaces places_;
  Hop hop_;
  bool arrived_ = false;  // all messages of the hop
  std::size_t next_ = 0;  // message to be returned
};

}  // namespace esker
