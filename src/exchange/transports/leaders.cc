#include "exchange/transports/leaders.h"

namespace esker {

Status ByLeaders::prepare(Comm& comm, const Plan& plan) {
  comm_ = &comm;
  plan_ = &plan;
  leads_ = comm.node().rank() == 0;
  return {};
}

void ByLeaders::begin(const Stage& stage) {
  stage_ = stage;
  next_ = 0;
  arrived_ = false;
  read_ = stage.receives->empty();
  const NodeStage& of_node = plan_->node.stages[stage.number];
  of_node_ = of_node.is_busy() ? &of_node : nullptr;
  if (!of_node_) return;
  staging().begin_stage(of_node);
  if (leads_) {
    staging().open();
    for (const NodeMessage& message : of_node.receives) {
      comm_->start_receive(bytes_of(message), message.leader);
    }
  }
  if (!stage.sends->empty()) staging().begin_packing();
}

void ByLeaders::end_sends() {
  if (!of_node_) return;
  if (!stage_.sends->empty()) staging().end_packing();
  if (!leads_) return;
  staging().wait_packed();
  for (const NodeMessage& message : of_node_->sends) comm_->start_send(bytes_of(message), message.leader);
}

// The leader receives the messages for all ranks before it returns its own.
int ByLeaders::next_received() {
  if (!of_node_) return -1;
  if (!arrived_) {
    if (leads_) {
      while (comm_->wait_any_receive() >= 0) {
      }
      staging().arrive();
    }
    if (!read_) staging().begin_reading();
    arrived_ = true;
  }
  if (next_ < stage_.receives->size()) return static_cast<int>(next_++);
  if (!read_) staging().end_reading();
  read_ = true;
  return -1;
}

void ByLeaders::finish() {
  if (of_node_ && leads_) comm_->finish();
}

}  // namespace esker
