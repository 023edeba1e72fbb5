#include "exchange/node_staging.h"

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/shared_condition.h"

namespace esker {
namespace {

constexpr Index kControlBytes = 4096;  // the counters, before the messages

}  // namespace

/// Totals since create(). The counters never decrease, so no rank can miss a value.
struct NodeStaging::Counters {
  SharedCondition condition;
  std::uint64_t opened, packed, arrived, read;  // packed and read count ranks, the other two stages
};

Result<std::unique_ptr<NodeStaging>> NodeStaging::create(Comm& comm, Index bytes) {
  static_assert(sizeof(Counters) <= kControlBytes);
  Comm& node = comm.node();
  std::unique_ptr<NodeStaging> staging;
  ESKER_RETURN_IF_ERROR(all_do(node, "share the staging buffer of a node", [&] {
    staging.reset(new NodeStaging());
    staging->watch_ = comm.call_watch();
    return Status();
  }));
  staging->size_bytes_ = bytes;
  ESKER_ASSIGN_OR_RETURN(staging->memory_,
                         SharedMemory::create(node, node.rank() == 0 ? kControlBytes + bytes : 0));
  ESKER_RETURN_IF_ERROR(root_does(node, "share the staging buffer of a node", [&] {
    const int failure = staging->counters().condition.init();
    return failure == 0 ? Status() : system_error(failure, "initialize a lock in", "shared memory");
  }));
  return staging;
}

NodeStaging::Counters& NodeStaging::counters() const {
  return *reinterpret_cast<Counters*>(memory_->of(0).data());
}

std::byte* NodeStaging::data() const { return memory_->of(0).data() + kControlBytes; }

void NodeStaging::raise(std::uint64_t Counters::*count, std::uint64_t awaited) {
  Counters& all = counters();
  const SharedCondition::Locked lock(all.condition);
  if (++(all.*count) >= awaited) all.condition.wake_all();
}

void NodeStaging::wait_for(std::uint64_t Counters::*count, std::uint64_t value) {
  Counters& all = counters();
  const SharedCondition::Locked lock(all.condition);
  const CallWatch::Wait wait(watch_);
  while (all.*count < value) all.condition.wait();
}

void NodeStaging::begin_stage(const NodeStage& stage) {
  ++stages_;
  packed_ += static_cast<std::uint64_t>(stage.num_packers);
  read_before_ = read_;
  read_ += static_cast<std::uint64_t>(stage.num_readers);
}

void NodeStaging::open() {
  wait_for(&Counters::read, read_before_);
  raise(&Counters::opened, stages_);
}
void NodeStaging::wait_packed() { wait_for(&Counters::packed, packed_); }
void NodeStaging::arrive() { raise(&Counters::arrived, stages_); }

void NodeStaging::begin_packing() { wait_for(&Counters::opened, stages_); }
void NodeStaging::end_packing() { raise(&Counters::packed, packed_); }
void NodeStaging::begin_reading() { wait_for(&Counters::arrived, stages_); }
void NodeStaging::end_reading() { raise(&Counters::read, read_); }

}  // namespace esker
