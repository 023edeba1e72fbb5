// One non-blocking send and one receive per message.
#pragma once

#include "exchange/message_transport.h"

namespace esker {

class PointToPoint final : public MessageTransport {
 public:
  Status prepare(Comm& comm, const Plan&) override {
    comm_ = &comm;
    return {};
  }
  void begin(const Stage& stage) override;
  void send(const Message& message) override;
  [[nodiscard]] int next_received() override { return comm_->wait_any_receive(); }
  void finish() override { comm_->finish(); }

 private:
  Comm* comm_ = nullptr;
};

}  // namespace esker
