// How the samples of a step reach its files.
#include <algorithm>
#include <cassert>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "write/buffer_store.h"
#include "write/step_transaction.h"

namespace esker {

Status StepTransaction::move() {
  assert(state_ == State::kPlanned);
  const DatasetFiles& files = dataset_.files();
  files_.emplace(*files.store, *plan_->layouts, plan_->space, stored_.step, files.top);
  state_ = State::kFailed;  // unless all goes well: from now on there is something to discard
  Status stored = run();
  RankCounters& counters = record_.counters();
  Stopwatch watch;
  if (stored.ok()) stored = guarded("end_step", [&] { return finish(); });
  counters.store_s += watch.lap();
  Status agreed = agree(comm_, stored);
  counters.agree_s += watch.lap();
  if (agreed.ok()) state_ = State::kMoved;
  return agreed;
}

/// Exchanges and stores. Returns this rank's own error, after it has sent and received all that is planned.
Status StepTransaction::run() {
  StepPlan& plan = *plan_;
  RankCounters& counters = record_.counters();
  ExchangeBuffers& buffers = plans_.buffers();
  const ExchangeBuffers::Parts parts = buffers.parts(plan.exchange.plan);
  BufferStore store(plan, parts, *files_, counters);
  if (plan.compressor) plan.compressor->begin_step(stored_.step);
  plan.part_sums.begin_step();
  const StepTraffic::For purpose(record_.traffic(), StepTraffic::Purpose::kMove);
  if (plan.cells) {
    const Stopwatch watch;
    plan.cells->begin_step(comm_, plan.patches);
    counters.exchange_s += watch.elapsed_s();
  }
  const Options& options = plans_.options();
  const bool in_thread = may_store_in_thread(options) &&
                         options.store_thread.value_or(record_.store_waits()) &&
                         (!plan.compressor || plan.compressor->is_alone());
  const double encoded_before_s = counters.checksum_s + counters.compress_s;
  ExchangeStats stats = counters.begin_exchange();
  Status stored = run_exchange(plan.exchange.plan, plan.patches, buffers, *plan.exchange.transport, stats,
                               store, in_thread, plan.cells.get(), plan.fill);
  record_.add(stats, counters.checksum_s + counters.compress_s - encoded_before_s);
  counters.writes += files_->writes().count;
  counters.largest_write_bytes = std::max(counters.largest_write_bytes, files_->writes().largest_bytes);
  hand_over_records();
  counters.peak_buffer_bytes = std::max(counters.peak_buffer_bytes, buffers.size_bytes());
  return stored;
}

/// What the ranks know of pieces goes to those that write the headers of their files. Collective.
void StepTransaction::hand_over_records() {
  const StepTraffic::For purpose(record_.traffic(), StepTraffic::Purpose::kRecords);
  if (plan_->layouts->has_records()) plan_->records.hand_over(comm_, plan_->exchange.plan);
  if (plan_->cells) plan_->cells->heads().hand_over(comm_);
}

/// Completes the files of this rank. Local.
Status StepTransaction::finish() {
  if (comm_.rank() == 0) {
    ESKER_ASSIGN_OR_RETURN(const auto small, format().small_files(stored_.step, plan_->due, plan_->kept,
                                                                  input_.patches_of_meshes));
    for (const auto& [path, bytes] : small) ESKER_RETURN_IF_ERROR(files_->write_small(path, bytes));
  }
  ESKER_RETURN_IF_ERROR(files_->finish(plan_->exchange.plan.owned,
                                       {plan_->records, plan_->cells ? &plan_->cells->heads() : nullptr},
                                       is_durable()));
  if (dataset_.files().fsync == Fsync::kClose) {
    dataset_.files().to_sync.note(stored_.step, files_->paths());  // including those that finish() opened
  }
  return {};
}

}  // namespace esker
