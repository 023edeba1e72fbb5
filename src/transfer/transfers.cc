#include "transfer/transfers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/guarded.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "exchange/run.h"
#include "transfer/convert_source.h"
#include "transfer/transfer_store.h"

namespace esker {

Transfers::Transfers(Comm& comm, const Options& options, int most_writers)
    : comm_(comm), policy_(policy_for_writing(options, comm.size())) {
  policy_.aggregate = true;
  policy_.packs = true;  // samples may have to be converted
  if (policy_.aggregators == 0) policy_.aggregators = most_writers;
}

/// The plan for such arrays, made again if any rank brings other boxes.
Result<TransferPlan*> Transfers::plan_for(const std::vector<FileArray>& arrays,
                                          std::span<const ArrayPatch> mine) {
  const auto known =
      std::find_if(plans_.begin(), plans_.end(), [&](const auto& plan) { return plan->is_for(arrays); });
  std::array<std::uint64_t, 1> any_stale{known == plans_.end() || !(*known)->fits(mine, buffers_) ? 1u : 0u};
  comm_.all_reduce_max(any_stale);
  if (any_stale[0] == 0) {
    std::rotate(known, known + 1, plans_.end());
    return plans_.back().get();
  }
  if (known != plans_.end()) plans_.erase(known);
  if (plans_.size() == kMostPlans) plans_.erase(plans_.begin());
  ESKER_RETURN_IF_ERROR(all_do(comm_, "plan", [&] {
    plans_.reserve(kMostPlans);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(auto plan, TransferPlan::make(comm_, arrays, mine, policy_, buffers_));
  ++num_plans_;
  plans_.push_back(std::move(plan));
  return plans_.back().get();
}

void Transfers::describe(const TransferPlan& plan) {
  const Prepared& exchange = plan.exchange();
  num_aggregators_ = exchange.num_aggregators;
  transport_ = exchange.used;
  buffer_bytes_ = std::max(exchange.plan.buffer_bytes, exchange.plan.shared_buffer_bytes);
}

Result<Transfers::Moved> Transfers::put(const std::vector<FileArray>& arrays,
                                        std::span<const ArrayPatch> mine, File& file) {
  ESKER_ASSIGN_OR_RETURN(TransferPlan * plan, plan_for(arrays, mine));
  Moved moved;
  std::optional<ConvertSource> source;
  std::optional<TransferStore> sink;
  ESKER_RETURN_IF_ERROR(all_do(comm_, "put", [&] {
    moved.out_of_range.resize(mine.size());
    if (plan->is_empty()) return Status();
    plan->take(mine, buffers_);
    source.emplace(*plan, arrays, mine);
    sink.emplace(*plan, arrays, file);
    return Status();
  }));
  if (plan->is_empty()) return moved;
  ExchangeStats stats;
  const Status stored = run_exchange(plan->exchange().plan, plan->patches(), buffers_, plan->transport(),
                                     stats, *sink, false, source->converts() ? &*source : nullptr);
  ESKER_RETURN_IF_ERROR(agree(comm_, stored));
  describe(*plan);
  moved.out_of_range = source->out_of_range();
  moved.stored_bytes = sink->stored_bytes();
  return moved;
}

}  // namespace esker
