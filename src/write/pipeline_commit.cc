// How a step becomes visible, and what is undone if that fails: the part of WritePipeline between the data of
// a step and the format's indexes.
#include <algorithm>
#include <numeric>

#include "base/macros.h"
#include "comm/agree.h"
#include "write/pipeline.h"

namespace esker {

/// What rank 0 has rewound. Local.
void WritePipeline::settle_indexes(Index num_steps) {
  if (comm_->rank() != 0 && format_->num_own_indexes() > 0) format_->settle_indexes(num_steps);
}

// First each rank removes its files, then rank 0 the rest of the step: directories, and files that a rank
// could not remove. The caller needs the error of the step, so errors of this function are not returned.
void WritePipeline::discard(Index step, StepFiles& files) {
  files.discard();
  written_paths_.erase(step);
  (void)agree(*comm_, Status());
  (void)reclaim(is_found_ || options_.fsync == Fsync::kStep);
}

/// The partitions that this rank commits. Without a division of the ranks, rank 0 commits all.
std::vector<int> WritePipeline::led_partitions(const StepPlan& plan) const {
  const int n = format_->num_own_indexes();
  if (plan.exchange.plan.num_partitions == n) return plan.exchange.plan.leads;
  std::vector<int> all(comm_->rank() == 0 ? static_cast<std::size_t>(n) : 0);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The leaders of partitions that are stored separately commit them, in parallel. Collective.
Status WritePipeline::commit_partitions(const StepPlan& plan, const StoredStep& stored, bool durable) {
  ESKER_RETURN_IF_ERROR(root_does(*comm_, "commit", [&] {
    const Status marked = unsynced_.before_commit();
    return marked.ok() ? format_->check_ours() : marked;
  }));
  return all_do(*comm_, "commit", [&]() -> Status {
    const std::vector<int> led = led_partitions(plan);
    if (options_.fsync == Fsync::kClose) led_.insert(led.begin(), led.end());
    return format_->commit_partitions(stored, led, durable);
  });
}

/// Undoes the visible effects of a commit that failed. Collective.
Status WritePipeline::undo_commit(const StoredStep& stored, bool began_partitions, bool durable) {
  const Status rewound = root_does(*comm_, "undo the commit", [&] {
    if (began_partitions) format_->doubt_indexes(stored);
    return format_->rewind(stored.step, is_found_ || durable);
  });
  settle_indexes(stored.step);
  return rewound;
}

// If the commit fails, its visible effects are undone before the step's files are removed. If that fails,
// too, the files are kept: a step that a reader may see must not lose its data.
Status WritePipeline::commit(StepPlan& plan, const StepInput& input, StepFiles& files) {
  const Stopwatch watch;
  const bool durable = options_.fsync == Fsync::kStep;
  const bool has_own_indexes = format_->num_own_indexes() > 0;
  find_max_errors(*comm_, plan);
  StoredStep stored;
  std::vector<std::vector<std::uint64_t>> part_sums;
  Status committed;
  if (plan.layouts->sums_parts()) {
    const StepTraffic::For purpose(traffic_, StepTraffic::Purpose::kRecords);
    auto gathered = plan.part_sums.gather(*comm_, plan.space);
    committed = gathered.status();
    if (committed.ok()) part_sums = std::move(*gathered);
  }
  const auto describe = [&]() -> Status {
    stored = {input.step, input.time, plan.due, {plan.max_errors.begin(), plan.max_errors.end()}};
    stored.max_errors.resize(schema_.fields().size());
    return {};
  };
  if (committed.ok() && has_own_indexes) committed = all_do(*comm_, "commit", describe);
  const bool begins_partitions = committed.ok() && has_own_indexes;
  if (begins_partitions) committed = commit_partitions(plan, stored, durable);
  if (committed.ok()) {
    committed = root_does(*comm_, "commit", [&]() -> Status {
      ESKER_RETURN_IF_ERROR(unsynced_.before_commit());
      ESKER_RETURN_IF_ERROR(describe());
      stored.records = records_of_joined(plan);
      stored.part_sums = std::move(part_sums);
      if (options_.fsync == Fsync::kClose) {
        std::vector<std::string>& mine = written_paths_[input.step];
        for (std::string& path : format_->completed_paths(input.step)) {
          if (std::ranges::find(mine, path) == mine.end()) mine.push_back(std::move(path));
        }
      }
      return format_->commit(stored, durable);
    });
  }
  counters_.commit_s += watch.elapsed_s();
  if (committed.ok()) {
    if (has_own_indexes) format_->settle_indexes(input.step + 1);
    return {};
  }
  stored.step = input.step;
  const Status rewound = undo_commit(stored, begins_partitions, durable);
  has_leftovers_ = !rewound.ok();
  if (has_leftovers_) return committed.with_context("the step may be visible, because " + rewound.message());
  discard(input.step, files);
  return committed;
}

}  // namespace esker
