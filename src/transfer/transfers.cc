#include "transfer/transfers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/macros.h"
#include "comm/agree.h"
#include "exchange/run.h"
#include "transfer/run_transfer.h"

namespace esker {

Transfers::Transfers(Comm& comm, const Options& options, int most_writers)
    : comm_(comm), policy_(policy_for_writing(options, comm.size())), most_writers_(most_writers) {
  policy_.aggregate = true;
  policy_.packs = true;  // samples may have to be converted
}

Index Transfers::offer(const std::vector<FileArray>& arrays, std::span<const ArrayPatch> mine, File& file) {
  offered_.reset();
  const auto kept =
      std::find_if(plans_.begin(), plans_.end(), [&](const Kept& each) { return each.plan->is_for(arrays); });
  if (kept == plans_.end() || !kept->plan->fits(mine, buffers_)) return 0;
  TransferPlan& plan = *kept->plan;
  if (!plan.is_empty()) plan.take(mine, buffers_);
  offered_.emplace(Offered{&plan, ConvertSource(plan, arrays, mine), TransferStore(plan, arrays, file)});
  return kept->number;
}

Result<Transfers::OutOfRange> Transfers::put_offered() {
  TransferPlan& plan = *offered_->plan;
  const auto kept =
      std::find_if(plans_.begin(), plans_.end(), [&](const Kept& each) { return each.plan.get() == &plan; });
  std::rotate(kept, kept + 1, plans_.end());
  ConvertSource& source = offered_->source;
  if (plan.is_empty()) return source.take_out_of_range();
  ExchangeStats stats;
  const Status stored = run_exchange(plan.exchange().plan, plan.patches(), buffers_, plan.transport(), stats,
                                     offered_->sink, false, source.converts() ? &source : nullptr);
  ESKER_RETURN_IF_ERROR(agree(comm_, stored));
  return source.take_out_of_range();
}

const Prepared* Transfers::last() const {
  const auto with_samples =
      std::find_if(plans_.rbegin(), plans_.rend(), [](const Kept& each) { return !each.plan->is_empty(); });
  return with_samples == plans_.rend() ? nullptr : &with_samples->plan->exchange();
}

Index Transfers::bytes_of_plans() const {
  Index bytes = 0;
  for (const Kept& each : plans_) bytes += each.plan->size_bytes();
  return bytes;
}

/// Forgets the plans if they need more than a quarter of the budget on any rank. Their bytes on this one.
/// Collective.
Index Transfers::fit_kept_plans() {
  const Index bytes = bytes_of_plans();
  std::array<std::uint64_t, 1> any_exceeds{bytes > policy_.memory_budget_bytes / 4 ? 1u : 0u};
  comm_.all_reduce_max(any_exceeds);
  if (any_exceeds[0] == 0) return bytes;
  plans_.clear();
  return 0;
}

Result<Transfers::OutOfRange> Transfers::put(const std::vector<FileArray>& arrays,
                                             std::span<const ArrayPatch> mine, File& file) {
  offered_.reset();
  std::erase_if(plans_, [&](const Kept& each) { return each.plan->is_for(arrays); });
  if (plans_.size() == kMostPlans) plans_.erase(plans_.begin());
  const Index kept_bytes = fit_kept_plans();
  ESKER_RETURN_IF_ERROR(all_do(comm_, "plan", [&] {
    plans_.reserve(kMostPlans);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(
      auto plan, TransferPlan::make(comm_, arrays, mine, {kept_bytes, most_writers_}, policy_, buffers_));
  plans_.push_back({++num_plans_, std::move(plan)});
  ESKER_RETURN_IF_ERROR(all_do(comm_, "plan", [&] {
    (void)offer(arrays, mine, file);
    return Status();
  }));
  return put_offered();
}

// Uses what plans and their buffers leave of the budget; if that is less than half of it, they are forgotten.
Result<Transfers::OutOfRange> Transfers::put_runs(std::span<const ArrayBoxes> mine, File& file) {
  offered_.reset();
  const Index budget = policy_.memory_budget_bytes;
  std::array<std::uint64_t, 1> used{static_cast<std::uint64_t>(bytes_of_plans() + buffers_.size_bytes())};
  comm_.all_reduce_max(used);
  if (static_cast<Index>(used[0]) > budget / 2) {
    plans_.clear();
    buffers_.release();
    used[0] = 0;
  }
  return esker::put_runs(
      comm_, mine, file,
      {budget - static_cast<Index>(used[0]), policy_.buffer_bytes, policy_.aggregators, most_writers_});
}

}  // namespace esker
