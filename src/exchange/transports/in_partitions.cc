#include "exchange/transports/in_partitions.h"

#include "base/macros.h"
#include "comm/agree.h"
#include "plan/relay_stages.h"

namespace esker {

InPartitions::Part::Part(const Plan& whole) : received(2 * whole.rounds.size()) {
  plan.rounds.resize(whole.rounds.size());
  plan.send_bytes = whole.send_bytes;
  plan.receive_bytes = whole.receive_bytes;
  plan.buffer_bytes = whole.buffer_bytes;
}

std::vector<Message>& InPartitions::Part::sends(std::size_t stage) {
  Round& round = plan.rounds[stage / 2];
  return stage % 2 == 0 ? round.relay.sends : round.sends;
}

std::vector<Message>& InPartitions::Part::receives(std::size_t stage) {
  Round& round = plan.rounds[stage / 2];
  return stage % 2 == 0 ? round.relay.receives : round.receives;
}

void InPartitions::divide(const Plan& plan) {
  of_group_ = Part(plan);
  of_others_ = Part(plan);
  const auto without_samples = [](const Message& message) {
    return Message{message.peer, message.offset_bytes, message.bytes, 0, {}};
  };
  for_each_stage(plan, [&](std::size_t stage, const auto& sends, const auto& receives) {
    for (const Message& message : sends) {
      (is_inside(message) ? of_group_ : of_others_).sends(stage).push_back(without_samples(message));
    }
    for (std::size_t m = 0; m < receives.size(); ++m) {
      Part& part = is_inside(receives[m]) ? of_group_ : of_others_;
      part.receives(stage).push_back(without_samples(receives[m]));
      part.received[stage].push_back(static_cast<int>(m));
    }
  });
}

Status InPartitions::prepare(Comm& comm, const Plan& plan) {
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    divide(plan);
    return Status();
  }));
  ESKER_RETURN_IF_ERROR(inside_->prepare(comm, of_group_.plan));
  return all_do(comm, "plan", [&] {
    comm.reserve_transfers(plan.num_sends, plan.num_receives);
    return across_.prepare(comm, of_others_.plan);
  });
}

void InPartitions::begin(const Stage& stage) {
  stage_ = stage.number;
  across_.begin_run(memory());
  across_.begin(of_others_.stage(stage_));
  inside_->begin_run(memory());
  inside_->begin(of_group_.stage(stage_));
}

void InPartitions::send(const Message& message) {
  if (is_inside(message)) {
    inside_->send(message);
  } else {
    across_.send(message);
  }
}

int InPartitions::next_received() {
  if (const int m = inside_->next_received(); m >= 0) {
    return of_group_.received[stage_][static_cast<std::size_t>(m)];
  }
  const int m = across_.next_received();
  return m < 0 ? -1 : of_others_.received[stage_][static_cast<std::size_t>(m)];
}

void InPartitions::finish() {
  inside_->finish();
  across_.finish();
}

}  // namespace esker
