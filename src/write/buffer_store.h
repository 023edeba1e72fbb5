// BufferStore: stores the full collective buffers of a step: converts, compresses and hashes their pieces,
// and writes them to files. The thread of a queue does all of that later, or the writing alone.
#pragma once

#include <span>

#include "esker/types/status.hpp"
#include "exchange/buffers.h"
#include "exchange/run.h"
#include "write/report.h"
#include "write/step_files.h"
#include "write/step_plan.h"
#include "write/store_queue.h"

namespace esker {

class BufferStore final : public BufferSink {
 public:
  /// Whose threads do what; null: the caller of store(), at once.
  struct Queues {
    StoreQueue* all = nullptr;     ///< everything
    StoreQueue* writes = nullptr;  ///< writing what the caller compressed; without `all`
  };
  /// For one step of a plan, whose buffers are `buffers`. All arguments must outlive it and what it queues.
  /// Allocates nothing.
  BufferStore(StepPlan& plan, const ExchangeBuffers::Parts& buffers, StepFiles& files, RankCounters& counters,
              const Queues& queues)
      : plan_(plan), buffers_(buffers), files_(files), counters_(counters), queues_(queues) {}

  /// Stores the buffer of a round, or queues it. Without `bytes` it stores nothing, but takes part in what
  /// the ranks that store the same files do in each round.
  Status store(const Round& round, std::span<std::byte> bytes) override;
  [[nodiscard]] Index file_offset(const Round& round) const override {
    return files_.offset_of(round.content.begin);
  }

  /// Of a plan that compresses, when nothing is queued any more: what writing alone cost.
  [[nodiscard]] const StoreCost& write_cost() const { return write_cost_; }

 private:
  Status store_now(const Round& round, std::span<std::byte> bytes);
  template <class Write>
  Status write(std::span<std::byte> bytes, const Write& write);
  Status store_compressed(const BufferContent& content, std::span<std::byte> bytes);
  Status store_as_is(const BufferContent& content, std::span<std::byte> bytes);
  void encode(const BufferContent& content, std::span<std::byte> bytes);
  void add_part_sums(const BufferContent& content, std::span<const std::byte> bytes, const SegmentList* own);
  template <class Visit>
  Status for_each_layout(const BufferContent& content, std::span<std::byte> bytes, const Visit& visit) const;

  StepPlan& plan_;
  const ExchangeBuffers::Parts& buffers_;
  StepFiles& files_;
  RankCounters& counters_;
  Queues queues_;
  StoreCost write_cost_;
};

}  // namespace esker
