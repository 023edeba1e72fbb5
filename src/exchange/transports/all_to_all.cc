#include "exchange/transports/all_to_all.h"

#include "base/macros.h"
#include "comm/agree.h"

namespace esker {

void AllToAll::Parts::resize(int n_ranks) {
  counts.assign(static_cast<std::size_t>(n_ranks), 0);
  starts.assign(static_cast<std::size_t>(n_ranks), 0);
}

// Buffers are at most 1 GiB (StepCut), so their sizes fit in an int.
void AllToAll::Parts::set(std::size_t number, const Message& message) {
  counts[number] = static_cast<int>(message.bytes);
  starts[number] = static_cast<int>(message.offset_bytes);
}

Status AllToAll::prepare(Comm& comm, const Plan& plan) {
  comm_ = group_ ? group_->comm.get() : &comm;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    sends_.resize(comm_->size());
    receives_.resize(comm_->size());
    return Status();
  }));
  return busy_.find(comm, *comm_, plan);
}

void AllToAll::begin(const Stage& stage) {
  stage_ = stage;
  next_ = 0;
  for (const Message& message : *stage.receives) receives_.set(number_of(message), message);
}

void AllToAll::send(const Message& message) { sends_.set(number_of(message), message); }

void AllToAll::end_sends() {
  if (!busy_.is_busy(stage_.number)) return;
  comm_->all_to_all({memory().send.data(), sends_.counts, sends_.starts},
                    {memory().receive.data(), receives_.counts, receives_.starts});
}

int AllToAll::next_received() { return next_ < stage_.receives->size() ? static_cast<int>(next_++) : -1; }

void AllToAll::finish() {
  for (const Message& message : *stage_.sends) sends_.clear(number_of(message));
  for (const Message& message : *stage_.receives) receives_.clear(number_of(message));
}

}  // namespace esker
