// NodeStaging: the memory of a node's aggregation messages, and the synchronization of its ranks (NodePlan).
//
// A relay stage runs
//   leader: open()                  what was packed in the previous stage has been sent and read
//   ranks with messages: begin_packing(), pack, end_packing()
//   leader: wait_packed(), send and receive, arrive()
//   ranks with messages for them: begin_reading(), read, end_reading()
// All ranks call begin_stage() first, whether they take part in the stage or not, so that their counts agree.
// No rank polls. A rank waits only for ranks of its node that take part in the stage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comm/call_watch.h"
#include "comm/shared_memory.h"
#include "plan/node_plan.h"

namespace esker {

class NodeStaging {
 public:
  /// Allocates `bytes`, the same on all ranks of the node. Collective over comm.node(); errors are those of
  /// all its ranks, see SharedMemory.
  static Result<std::unique_ptr<NodeStaging>> create(Comm& comm, Index bytes);
  [[nodiscard]] Index size_bytes() const { return size_bytes_; }
  /// All memory of the messages.
  [[nodiscard]] std::span<std::byte> memory() const {
    return {data(), static_cast<std::size_t>(size_bytes_)};
  }
  [[nodiscard]] std::byte* data() const;

  void begin_stage(const NodeStage& stage);

  void open();
  void wait_packed();
  void arrive();

  void begin_packing();
  void end_packing();
  void begin_reading();
  void end_reading();

 private:
  struct Counters;  // in shared memory
  NodeStaging() = default;
  [[nodiscard]] Counters& counters() const;
  /// Increments a counter and wakes the ranks that wait for the value `awaited`.
  void raise(std::uint64_t Counters::*count, std::uint64_t awaited);
  void wait_for(std::uint64_t Counters::*count, std::uint64_t value);

  std::unique_ptr<SharedMemory> memory_;
  Index size_bytes_ = 0;
  // Totals since create(), including this stage: stages; ranks that have packed; ranks that have read.
  std::uint64_t stages_ = 0, packed_ = 0, read_ = 0;
  std::uint64_t read_before_ = 0;  // without this stage's
  CallWatch* watch_ = nullptr;
};

}  // namespace esker
