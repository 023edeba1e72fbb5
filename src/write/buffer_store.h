// BufferStore: stores the full collective buffers of a step: converts, compresses and hashes their pieces,
// and writes them to files.
#pragma once

#include <span>

#include "esker/types/status.hpp"
#include "exchange/buffers.h"
#include "exchange/run.h"
#include "write/report.h"
#include "write/step_files.h"
#include "write/step_plan.h"

namespace esker {

class BufferStore final : public BufferSink {
 public:
  /// For one step of a plan, whose buffers are `buffers`. All arguments must outlive it. Allocates nothing.
  BufferStore(StepPlan& plan, const ExchangeBuffers::Parts& buffers, StepFiles& files, RankCounters& counters)
      : plan_(plan), buffers_(buffers), files_(files), counters_(counters) {}

  /// Stores the buffer of a round. Without `bytes` it stores nothing, but takes part in what the ranks that
  /// store the same files do in each round.
  Status store(const Round& round, std::span<std::byte> bytes) override;
  [[nodiscard]] Index file_offset(const Round& round) const override {
    return files_.offset_of(round.content.begin);
  }

 private:
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
};

}  // namespace esker
