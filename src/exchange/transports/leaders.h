// Combines the messages of a stage by node: the nodes' leaders exchange one message per pair of nodes.
#pragma once

#include "exchange/message_transport.h"

namespace esker {

class ByLeaders final : public MessageTransport {
 public:
  Status prepare(Comm& comm, const Plan& plan) override;
  [[nodiscard]] bool keeps_step() const override { return plan_->node.is_busy; }
  void begin(const Stage& stage) override;
  [[nodiscard]] std::span<std::byte> target(const Message& message) const override {
    return {staging().data() + message.offset_bytes, static_cast<std::size_t>(message.bytes)};
  }
  void send(const Message&) override {}
  void end_sends() override;
  [[nodiscard]] int next_received() override;
  [[nodiscard]] const std::byte* received(const Message& message) const override {
    return staging().data() + message.offset_bytes;
  }
  void finish() override;

 private:
  [[nodiscard]] NodeStaging& staging() const { return *memory().staging; }
  [[nodiscard]] std::span<std::byte> bytes_of(const NodeMessage& message) const {
    return {staging().data() + message.offset_bytes, static_cast<std::size_t>(message.bytes)};
  }

  Comm* comm_ = nullptr;
  const Plan* plan_ = nullptr;
  bool leads_ = false;
  Stage stage_;
  const NodeStage* of_node_ = nullptr;  // null: no rank of the node takes part in the stage
  bool arrived_ = false;                // whether all messages of the stage have arrived
  bool read_ = false;                   // whether those for this rank have been read
  std::size_t next_ = 0;                // the next message to return
};

}  // namespace esker
