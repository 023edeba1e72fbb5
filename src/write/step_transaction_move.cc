// How the samples of a step reach its files.
#include <algorithm>
#include <cassert>
#include <exception>
#include <optional>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "device/device_memory.h"
#include "write/buffer_store.h"
#include "write/step_transaction.h"

namespace esker {

/// Exchanges and stores. A rank with an error still sends and receives all that is planned.
void StepTransaction::move() {
  assert(state_ == State::kPlanned);
  StepPlan& plan = *plan_;
  RankCounters& counters = record_.counters();
  ExchangeBuffers& buffers = plans_.buffers();
  const DatasetFiles& files = dataset_.files();
  buffers_ = buffers.parts(plan.exchange.plan);
  files_.emplace(*files.store, *plan.layouts, plan.space, stored_.step, files.top);
  state_ = State::kMoved;  // from now on there is something to discard
  if (plan.compressor) begin_compressing();
  plan.part_sums.begin_step();
  const StepTraffic::For purpose(record_.traffic(), StepTraffic::Purpose::kMove);
  if (plan.cells) {
    const Stopwatch watch;
    plan.cells->begin_step(comm_, plan.patches);
    counters.exchange_s += watch.elapsed_s();
  }
  if (plan.means) plan.means->make(comm_, counters.exchange_s, counters.pack_s);
  encoded_s_ = counters.checksum_s + counters.compress_s;
  queue_ ? move_later(buffers) : move_now(buffers);
  count_device(buffers);
  input_.copies.clear();
}

void StepTransaction::count_device(const ExchangeBuffers& buffers) {
  if (buffers.device() == nullptr) return;
  RankCounters& counters = record_.counters();
  counters.device_pinned_bytes = std::max(counters.device_pinned_bytes, buffers.device()->pinned_bytes());
  counters.device_row_bytes = buffers.device()->copied_without_kernel_bytes();
}

Status StepTransaction::exchange(ExchangeBuffers& buffers, ExchangeStats& stats,
                                 const BufferStore::Queues& queues) {
  StepPlan& plan = *plan_;
  sink_.emplace(plan, buffers_, *files_, record_.counters(), queues);
  return run_exchange(plan.exchange.plan, plan.patches, buffers, *plan.exchange.transport, stats, *sink_,
                      stores_ahead() && !plan.compressor, plan.cells.get(), plan.fill);
}

/// Of a plan that compresses, a thread writes what is compressed while this rank compresses the next pieces,
/// if there is memory for that: an exception here would leave other ranks waiting.
void StepTransaction::move_now(ExchangeBuffers& buffers) {
  RankCounters& counters = record_.counters();
  std::optional<StoreQueue> writes;
  if (plan_->compressor && stores_ahead()) {
    (void)guarded("write ahead", [&] {
      writes.emplace(StoreQueue::Settings{plans_.maker().bytes_to_write_ahead(*plan_)});
      return Status();
    });
  }
  ExchangeStats stats = counters.begin_exchange(false);
  moved_ = exchange(buffers, stats, {nullptr, writes ? &*writes : nullptr});
  if (writes) {
    const Stopwatch watch;
    const Status written = writes->finish();
    if (moved_.ok()) moved_ = written;
    stats.store_s += watch.elapsed_s();
    counters.store_s.correct(sink_->write_cost().seconds);
  }
  counters.peak_buffer_bytes =
      std::max(counters.peak_buffer_bytes, buffers.size_bytes() + (writes ? writes->peak_bytes() : 0));
  record_.add(stats, counters.checksum_s + counters.compress_s - encoded_s_,
              plan_->compressor ? sink_->write_cost() : stats.stores);
}

void StepTransaction::move_later(ExchangeBuffers& buffers) {
  RankCounters& counters = record_.counters();
  ExchangeStats stats = counters.begin_exchange(true);
  moved_ = exchange(buffers, stats,
                    {compresses_together() ? nullptr : queue_, compresses_together() ? queue_ : nullptr});
  counters.peak_buffer_bytes = std::max(counters.peak_buffer_bytes, buffers.size_bytes());
  record_.add_queued(stats);
  counters.async_bytes += queue_->pending_bytes();
  if (moved_.ok() && is_durable() && stats.stores.calls > 0) {  // complete() then waits less
    moved_ = queue_->add([this] { return files_->sync_open(); });
  }
}

void StepTransaction::begin_compressing() {
  const Stopwatch watch;
  RawPieces& raw = plan_->raw_pieces;
  raw.begin_step(*dataset_.files().store, {stored_.step, dataset_.num_rewinds()});
  plan_->compressor->begin_step(stored_.step);
  record_.counters().untried_pieces += raw.num_skipped();
  record_.counters().compress_s += watch.elapsed_s();
}

/// Whether a thread stores while the rank prepares what it stores next.
bool StepTransaction::stores_ahead() const {
  const Options& options = plans_.options();
  return !queue_ && can_store_in_thread(options) && options.store_thread.value_or(record_.store_waits());
}

/// Whether the ranks that store the same files find the places of compressed pieces together, in each round.
/// Only writing can then be left to a thread.
bool StepTransaction::compresses_together() const {
  return plan_->compressor && !plan_->compressor->is_alone();
}

Status StepTransaction::complete() {
  assert(state_ == State::kMoved);
  state_ = State::kFailed;                   // unless all goes well
  exceptions_ = std::uncaught_exceptions();  // perhaps in another call than move()
  if (queue_) finish_queue();
  RankCounters& counters = record_.counters();
  counters.writes += files_->writes().count;
  counters.largest_write_bytes = std::max(counters.largest_write_bytes, files_->writes().largest_bytes);
  hand_over_records();
  Stopwatch watch;
  if (moved_.ok()) moved_ = guarded("end_step", [&] { return finish(); });
  counters.store_s += watch.lap();
  Status agreed = agree(comm_, moved_);
  counters.agree_s += watch.lap();
  if (agreed.ok()) state_ = State::kComplete;
  return agreed;
}

/// The thread has stored everything. Local.
void StepTransaction::finish_queue() {
  RankCounters& counters = record_.counters();
  const Stopwatch watch;
  const Status stored = queue_->finish();
  counters.async_s += watch.elapsed_s();
  if (moved_.ok()) moved_ = stored;
  Seconds& includes_encoding = compresses_together() ? counters.async_s : counters.store_s;
  if (compresses_together()) counters.store_s.correct(sink_->write_cost().seconds);
  includes_encoding.correct(encoded_s_ - counters.checksum_s - counters.compress_s);
  counters.async_memory_bytes = std::max(counters.async_memory_bytes, queue_->peak_bytes());
  counters.async_staged_bytes = queue_->staged_bytes();
  counters.async_cpu_ms = static_cast<Index>(1000 * queue_->cpu_s());
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
