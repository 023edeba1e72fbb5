// How a step becomes visible, and what is undone if that fails.
#include <cassert>
#include <numeric>
#include <utility>

#include "base/clock.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "write/step_transaction.h"

namespace esker {

Status StepTransaction::commit() {
  assert(state_ == State::kComplete);
  state_ = State::kFailed;  // unless all goes well
  const Stopwatch watch;
  const bool has_own_indexes = format().num_own_indexes() > 0;
  find_max_errors(comm_, *plan_);
  Status committed = gather_part_sums();
  if (committed.ok() && has_own_indexes) {
    committed = all_do(comm_, "commit", [&] {
      describe();
      return Status();
    });
  }
  const bool begins_partitions = committed.ok() && has_own_indexes;
  if (begins_partitions) committed = commit_partitions();
  if (committed.ok()) committed = root_does(comm_, "commit", [&] { return commit_step(); });
  record_.counters().commit_s += watch.elapsed_s();
  if (committed.ok()) {
    state_ = State::kCommitted;
    if (plan_->compressor) plan_->raw_pieces.end_step(plan_->records);
    dataset_.add_step(stored_.time);
    return {};
  }
  const Status undone = undo_commit(begins_partitions);
  if (undone.ok()) return committed;
  state_ = State::kDoubtful;
  dataset_.keep_leftovers();
  return committed.with_context("the step may be visible, because " + undone.message());
}

/// Checksums of the parts of pieces, on rank 0. Collective.
Status StepTransaction::gather_part_sums() {
  if (!plan_->layouts->sums_parts()) return {};
  const StepTraffic::For purpose(record_.traffic(), StepTraffic::Purpose::kRecords);
  ESKER_ASSIGN_OR_RETURN(stored_.part_sums, plan_->part_sums.gather(comm_, plan_->space));
  return {};
}

/// What the format has to know of the step, except for what rank 0 alone knows. Local.
void StepTransaction::describe() {
  stored_.present = plan_->due;
  stored_.max_errors = {plan_->max_errors.begin(), plan_->max_errors.end()};
  stored_.max_errors.resize(dataset_.schema().fields().size());
}

/// The partitions that this rank commits. Without a division of the ranks, rank 0 commits all.
std::vector<int> StepTransaction::led_partitions() const {
  const int n = format().num_own_indexes();
  if (plan_->exchange.plan.num_partitions == n) return plan_->exchange.plan.leads;
  std::vector<int> all(comm_.rank() == 0 ? static_cast<std::size_t>(n) : 0);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The leaders of partitions that are stored separately commit them, in parallel. Collective.
Status StepTransaction::commit_partitions() {
  DatasetFiles& files = dataset_.files();
  ESKER_RETURN_IF_ERROR(root_does(comm_, "commit", [&] {
    const Status marked = files.unsynced.before_commit();
    return marked.ok() ? format().check_ours() : marked;
  }));
  return all_do(comm_, "commit", [&]() -> Status {
    const std::vector<int> led = led_partitions();
    if (files.fsync == Fsync::kClose) files.to_sync.add_partitions(led);
    return format().commit_partitions(stored_, led, is_durable());
  });
}

/// Rank 0.
Status StepTransaction::commit_step() {
  DatasetFiles& files = dataset_.files();
  ESKER_RETURN_IF_ERROR(files.unsynced.before_commit());
  describe();
  stored_.records = records_of_joined(*plan_);
  if (files.fsync == Fsync::kClose) {
    files.to_sync.add(stored_.step, format().completed_paths(stored_.step));
  }
  return format().commit(stored_, is_durable());
}

/// Undoes the visible effects of a commit that failed. Collective.
Status StepTransaction::undo_commit(bool began_partitions) {
  Status rewound = root_does(comm_, "undo the commit", [&] {
    if (began_partitions) format().doubt_indexes(stored_);
    return format().rewind(stored_.step, dataset_.undoes_durably());
  });
  dataset_.settle_indexes(stored_.step);
  return rewound;
}

// The files stay: another run may hold the lock by now, and have reused their names.
void StepTransaction::leave() noexcept {
  if (queue_) queue_->cancel();
  files_.reset();
  dataset_.files().to_sync.forget(stored_.step);
  state_ = State::kLeft;
}

// First each rank removes its files, then rank 0 the rest of the step: directories, and files that a rank
// could not remove. The caller has the error of the step, so those of this function are not returned.
void StepTransaction::discard() {
  if (queue_) queue_->cancel();
  files_->discard();
  dataset_.files().to_sync.forget(stored_.step);
  if (std::uncaught_exceptions() > exceptions_) return;  // the other ranks may be in another call
  (void)agree(comm_, Status());
  (void)dataset_.reclaim(dataset_.undoes_durably());
}

}  // namespace esker
