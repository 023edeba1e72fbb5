// Combines the messages of a hop by node: the nodes' leaders exchange one message per pair of nodes.
#pragma once

#include "exchange/message_transport.h"

namespace esker {

class ByLeaders final : public MessageTransport {
 public:
  Status prepare(Comm& comm, const Plan& plan) override;
  [[nodiscard]] bool keeps_step() const override { return plan_->mail.is_busy; }
  void begin(const Hop& hop) override;
  [[nodiscard]] std::span<std::byte> target(const Message& message) const override {
    return {mail().data() + message.offset_bytes, static_cast<std::size_t>(message.bytes)};
  }
  void send(const Message&) override {}
  void end_sends() override;
  [[nodiscard]] int next_received() override;
  [[nodiscard]] const std::byte* received(const Message& message) const override {
    return mail().data() + message.offset_bytes;
  }
  void finish() override;

 private:
  [[nodiscard]] NodeMail& mail() const { return *memory().mail; }
  [[nodiscard]] std::span<std::byte> bytes_of(const NodeMessage& message) const {
    return {mail().data() + message.offset_bytes, static_cast<std::size_t>(message.bytes)};
  }

  Comm* comm_ = nullptr;
  const Plan* plan_ = nullptr;
  bool leads_ = false;
  Hop hop_;
  const MailHop* of_node_ = nullptr;  // null: no rank of the node takes part in the hop
  bool arrived_ = false;              // whether all messages of the hop have arrived
  bool read_ = false;                 // whether those for this rank have been read
  std::size_t next_ = 0;              // the next message to return
};

}  // namespace esker
