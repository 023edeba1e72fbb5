#include "transfer/transfers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/macros.h"
#include "comm/agree.h"
#include "exchange/run.h"
#include "transfer/run_transfer.h"

namespace esker {

Transfers::Transfers(Comm& comm, const Options& options, int most_writers)
    : comm_(comm),
      policy_(policy_for_writing(options, comm.size())),
      reading_(policy_for_reading(options, comm.size())),
      most_writers_(most_writers) {
  policy_.aggregate = reading_.aggregate = true;
  policy_.packs = true;  // samples may have to be converted
}

/// The kept plan for this rank's boxes; null: there is none.
template <class Brought>
Transfers::Kept* Transfers::find(Direction direction, const std::vector<FileArray>& arrays,
                                 std::span<const Brought> mine) {
  const auto kept = std::find_if(plans_.begin(), plans_.end(),
                                 [&](const Kept& each) { return each.plan->is_for(direction, arrays); });
  return kept == plans_.end() || !kept->plan->fits(mine, buffers_) ? nullptr : &*kept;
}

Index Transfers::offer(const std::vector<FileArray>& arrays, std::span<const ArrayPatch> mine, File& file) {
  offered_.reset();
  const Kept* const kept = find(Direction::kToFiles, arrays, mine);
  if (kept == nullptr) return 0;
  TransferPlan& plan = *kept->plan;
  if (!plan.is_empty()) plan.take(mine, buffers_);
  offered_.emplace(Offered{&plan, ConvertSource(plan, arrays, mine), TransferStore(plan, arrays, file)});
  return kept->number;
}

Index Transfers::offer(const std::vector<FileArray>& arrays, std::span<const ArrayTarget> mine,
                       const File& file) {
  offered_get_.reset();
  const Kept* const kept = find(Direction::kFromFiles, arrays, mine);
  if (kept == nullptr) return 0;
  TransferPlan& plan = *kept->plan;
  if (!plan.is_empty()) plan.take(mine);
  offered_get_.emplace(
      OfferedGet{&plan, ConvertTarget(plan, arrays, mine), TransferLoad(plan, arrays, file)});
  return kept->number;
}

/// Makes it the last used.
void Transfers::use(const TransferPlan& plan) {
  const auto kept =
      std::find_if(plans_.begin(), plans_.end(), [&](const Kept& each) { return each.plan.get() == &plan; });
  std::rotate(kept, kept + 1, plans_.end());
}

Result<Transfers::OutOfRange> Transfers::put_offered() {
  TransferPlan& plan = *offered_->plan;
  use(plan);
  ConvertSource& source = offered_->source;
  if (plan.is_empty()) return source.take_out_of_range();
  ExchangeStats stats;
  const Status stored = run_exchange(plan.exchange().plan, plan.patches(), buffers_, plan.transport(), stats,
                                     offered_->sink, false, source.converts() ? &source : nullptr);
  ESKER_RETURN_IF_ERROR(agree(comm_, stored));
  return source.take_out_of_range();
}

Result<Transfers::OutOfRange> Transfers::get_offered() {
  TransferPlan& plan = *offered_get_->plan;
  use(plan);
  ConvertTarget& target = offered_get_->target;
  if (plan.is_empty()) return target.take_out_of_range();
  if (plan.transport().is_one_sided()) {
    ESKER_RETURN_IF_ERROR(buffers_.reserve_exposed(comm_, plan.exchange().plan));
  }
  ExchangeStats stats;
  const Status read = run_delivery(plan.exchange().plan, plan.targets(), buffers_, plan.transport(), stats,
                                   std::cref(offered_get_->load), target.converts() ? &target : nullptr);
  ESKER_RETURN_IF_ERROR(agree(comm_, read));
  return target.take_out_of_range();
}

const Prepared* Transfers::last() const {
  const auto with_samples = std::find_if(plans_.rbegin(), plans_.rend(), [](const Kept& each) {
    return each.plan->direction() == Direction::kToFiles && !each.plan->is_empty();
  });
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

/// Makes a plan, which is kept. Collective.
template <class Brought>
Status Transfers::make(Direction direction, const std::vector<FileArray>& arrays,
                       std::span<const Brought> mine, Index cheap_gap_bytes) {
  offered_.reset();
  offered_get_.reset();
  std::erase_if(plans_, [&](const Kept& each) { return each.plan->is_for(direction, arrays); });
  if (plans_.size() == kMostPlans) plans_.erase(plans_.begin());
  const bool reads = direction == Direction::kFromFiles;
  if (reads) buffers_.withdraw();  // prepare() may enlarge them
  TransferPlan::Limits limits;
  limits.kept_bytes = fit_kept_plans();
  limits.most_writers = reads ? 0 : most_writers_;
  limits.cheap_gap_bytes = cheap_gap_bytes;
  std::vector<ArrayBox> boxes;
  ESKER_RETURN_IF_ERROR(all_do(comm_, "plan", [&] {
    plans_.reserve(kMostPlans);
    for (const Brought& each : mine) boxes.push_back({each.array, each.patch.box});
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(auto plan, TransferPlan::make(comm_, direction, arrays, std::move(boxes), limits,
                                                       reads ? reading_ : policy_, buffers_));
  plans_.push_back({++num_plans_, std::move(plan)});
  return {};
}

Result<Transfers::OutOfRange> Transfers::put(const std::vector<FileArray>& arrays,
                                             std::span<const ArrayPatch> mine, File& file) {
  ESKER_RETURN_IF_ERROR(make(Direction::kToFiles, arrays, mine, file.cheap_gap_bytes()));
  ESKER_RETURN_IF_ERROR(all_do(comm_, "plan", [&] {
    (void)offer(arrays, mine, file);
    return Status();
  }));
  return put_offered();
}

Result<Transfers::OutOfRange> Transfers::get(const std::vector<FileArray>& arrays,
                                             std::span<const ArrayTarget> mine, const File& file) {
  ESKER_RETURN_IF_ERROR(make(Direction::kFromFiles, arrays, mine, file.cheap_gap_bytes()));
  ESKER_RETURN_IF_ERROR(all_do(comm_, "plan", [&] {
    (void)offer(arrays, mine, file);
    return Status();
  }));
  return get_offered();
}

// Uses what plans and their buffers leave of the budget; if that is less than half of it, they are forgotten.
Result<Transfers::OutOfRange> Transfers::put_runs(const Status& local, std::span<const ArrayBoxes> mine,
                                                  File& file, EndOfArray end_of_array, Index used_bytes) {
  offered_.reset();
  offered_get_.reset();
  const Index budget = policy_.memory_budget_bytes;
  if (used_bytes > budget / 2) {
    plans_.clear();
    buffers_.release();
    used_bytes = 0;
  }
  return esker::put_runs(comm_, local, mine, file,
                         {std::move(end_of_array), budget - used_bytes, policy_.buffer_bytes,
                          policy_.aggregators, most_writers_});
}

}  // namespace esker
