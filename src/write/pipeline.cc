#include "write/pipeline.h"

#include <fmt/format.h>

#include <utility>

#include "base/clock.h"
#include "base/counting.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/call_watch.h"
#include "comm/observed_comm.h"
#include "comm/roll_call.h"
#include "write/add_levels.h"
#include "write/resolve_meshes.h"
#include "write/run_report.h"

namespace esker {
namespace {

/// Ends a transaction that does not stay in flight, also when an exception passes.
class EndOfStep {
 public:
  explicit EndOfStep(std::optional<StepTransaction>& step) : step_(step) {}
  EndOfStep(const EndOfStep&) = delete;
  EndOfStep& operator=(const EndOfStep&) = delete;
  ~EndOfStep() {
    if (!is_kept_) step_.reset();
  }
  void keep() { is_kept_ = true; }

 private:
  std::optional<StepTransaction>& step_;
  bool is_kept_ = false;
};

/// The first error, which also tells the second one.
Status both(Status first, Status second) {
  if (first.ok() || second.ok()) return first.ok() ? second : first;
  return guarded("close", [&] { return Status(first.code(), first.message() + "; " + second.message()); });
}

}  // namespace

WritePipeline::WritePipeline(std::shared_ptr<Comm> comm, WriteTarget target)
    : record_(std::move(target.timeline)),
      comm_(
          observed_comm(std::move(comm),
                        [this](CommCall call, std::size_t bytes) { record_.traffic().count(call, bytes); })),
      dataset_(*comm_, std::move(target.store), std::move(target.format), target.options.fsync),
      plans_(*comm_, dataset_, record_, std::move(target.options), target.pattern, std::move(target.tuner)),
      device_patches_(plans_.maker()),
      queue_({plans_.options().async_memory_bytes, plans_.options().stage, plans_.options().async_cores}) {
  comm_->add_end_listener(this);
}

WritePipeline::~WritePipeline() {
  comm_->remove_end_listener(this);
  if (step_) step_->leave();
}

/// Without the other ranks.
void WritePipeline::leave() noexcept {
  if (step_) step_->leave();
  step_.reset();
  dataset_.release_alone();
}

Result<std::unique_ptr<WritePipeline>> WritePipeline::open(const std::shared_ptr<Comm>& comm,
                                                           const std::shared_ptr<Store>& store,
                                                           const char* operation, const std::string& path,
                                                           const Result<Options>& options,
                                                           const std::shared_ptr<WriterLock>& lock) {
  ESKER_ASSIGN_OR_RETURN(WriteTarget target, open_target(*comm, store, operation, path, options, lock));
  std::shared_ptr<RollCall> roll_call = std::move(target.roll_call);
  std::unique_ptr<WritePipeline> pipeline;
  const Status opened = all_do(*comm, operation, [&]() -> Status {
    if (!target.options.stage.empty()) ESKER_RETURN_IF_ERROR(open_unnamed(target.options.stage).status());
    pipeline.reset(new WritePipeline(comm, std::move(target)));
    return Status();
  });
  ESKER_RETURN_IF_ERROR(opened);
  if (roll_call) comm->set_roll_call(std::move(roll_call));  // on all ranks, or on none
  return pipeline;
}

Result<std::unique_ptr<WritePipeline>> WritePipeline::create(std::shared_ptr<Comm> comm,
                                                             std::shared_ptr<Store> store,
                                                             const std::string& path,
                                                             const Result<Options>& options,
                                                             const std::shared_ptr<WriterLock>& lock) {
  const CallWatch::Call call(*comm, "create");
  ESKER_ASSIGN_OR_RETURN(auto pipeline, open(comm, store, "create", path, options, lock));
  ESKER_RETURN_IF_ERROR(pipeline->dataset_.create());
  return pipeline;
}

Result<std::unique_ptr<WritePipeline>> WritePipeline::append(std::shared_ptr<Comm> comm,
                                                             std::shared_ptr<Store> store,
                                                             const std::string& path,
                                                             const Result<Options>& options,
                                                             const std::optional<double>& to_time,
                                                             const std::shared_ptr<WriterLock>& lock) {
  const CallWatch::Call call(*comm, "append");
  ESKER_ASSIGN_OR_RETURN(auto pipeline, open(comm, store, "append", path, options, lock));
  ESKER_RETURN_IF_ERROR(pipeline->dataset_.append(to_time));
  return pipeline;
}

Status WritePipeline::write_step(StepInput input, bool later) {
  const CallWatch::Call call(*comm_, "end_step");
  ESKER_RETURN_IF_ERROR(settle("end_step"));
  later |= plans_.options().async;
  const Schema& schema = dataset_.schema();
  const Index copied_bytes = input.copied_bytes;
  Status brought = guarded("end_step", [&] {
    return device_patches_.bring_to_host(schema, dataset_.files().format->averages_levels(), input);
  });
  if (input.status.ok()) input.status = std::move(brought);
  record_.counters().device_to_host_bytes += input.copied_bytes - copied_bytes;
  if (!has_meshes(schema)) return write_flat_step(std::move(input), later);
  FormatWriter& format = *dataset_.files().format;
  const Status mine = guarded("end_step", [&] {
    return input.status.ok() ? format.take_patches({}) : input.status;  // releases those of the last step
  });
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{mine, "end_step", 0, "", false}));
  const StepTraffic::For purpose(record_.traffic(), StepTraffic::Purpose::kPlan);
  ESKER_ASSIGN_OR_RETURN(StepInput flat, resolve_meshes(*comm_, schema, format, input, plans_.options()));
  if (format.stores_levels()) {
    ESKER_RETURN_IF_ERROR(all_do(*comm_, "mesh", [&] { return add_levels(schema, format, input, flat); }));
  }
  return write_flat_step(std::move(flat), later);
}

/// A step whose fields, or level fields, are all arrays.
Status WritePipeline::write_flat_step(StepInput input, bool later) {
  const Stopwatch watch;
  if (const int num_levels = dataset_.files().format->num_coarse_levels(); num_levels > 0) {
    Status added =
        guarded("end_step", [&] { return coarse_fields_.add(dataset_.schema(), num_levels, input); });
    if (input.status.ok()) input.status = std::move(added);
  }
  record_.begin_step(plans_.buffers());
  step_.emplace(*comm_, dataset_, plans_, record_, std::move(input),
                later && can_store_in_thread(plans_.options()) ? &queue_ : nullptr);
  EndOfStep end(step_);
  ESKER_RETURN_IF_ERROR(step_->open(later));
  Status planned = step_->plan();
  if (!planned.ok()) {
    plans_.fail();
    return planned;
  }
  step_->move();
  if (!step_->is_queued()) return commit_step(watch.elapsed_s());
  in_flight_s_ = watch.elapsed_s();
  dataset_.count_in_flight(step_->input().time);
  end.keep();
  return {};
}

/// `before_s`: what the step has cost so far.
Status WritePipeline::commit_step(double before_s) {
  const Stopwatch watch;
  Status status = step_->complete();
  if (status.ok()) status = step_->commit();
  if (!status.ok()) {
    plans_.fail();
    return status;
  }
  const StepPlan& plan = step_->step_plan();
  const StepInput& input = step_->input();
  const StepCost cost = record_.add(*comm_, dataset_, plans_.maker(), plan, input,
                                    {before_s + watch.elapsed_s(), step_->opening_s()});
  if (plan.kept.empty()) plans_.observe(plan, input, cost);
  return {};
}

/// Collective; the ranks are in the same call.
Status WritePipeline::commit_step_in_flight() {
  if (!step_) return {};
  const EndOfStep end(step_);
  dataset_.withdraw_step();
  Status status = commit_step(in_flight_s_);
  if (status.ok()) return status;
  return guarded("end_step", [&] {
    return status.with_context(fmt::format("step {}, time {:g}, which was stored asynchronously",
                                           counted(step_->input().step), step_->input().time));
  });
}

/// The beginning of a call: a step in flight is committed, or the call fails on all ranks.
Status WritePipeline::settle(const char* operation) {
  if (!step_) return {};
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{Status(), operation, 0, "", false}));
  return commit_step_in_flight();
}

Status WritePipeline::flush() {
  const CallWatch::Call call(*comm_, "flush");
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{Status(), "flush", 0, "", false}));
  return commit_step_in_flight();
}

Status WritePipeline::rewind(const Status& local, double time) {
  const CallWatch::Call call(*comm_, "rewind");
  ESKER_RETURN_IF_ERROR(settle("rewind"));
  return dataset_.rewind(local, time);
}

/// The ranks' own errors; `mismatch` keeps the first that reports ranks in other calls. `waits_first`: the
/// patience is unlimited while there is no mismatch. Does not allocate, because an allocation might fail on
/// this rank only.
Status WritePipeline::meet_to_close(const Status& local, Status& mismatch, double patience_s,
                                    bool waits_first) {
  Status status;
  for (bool all_are_here = false; !all_are_here && comm_->ended().ok();) {
    const double limit_s = waits_first && mismatch.ok() ? 0 : patience_s;
    status = agree(*comm_, Ballot{local, "close", 0, local.message(), true, limit_s}, &all_are_here);
    if (!all_are_here && mismatch.ok()) mismatch = status;
  }
  return status;
}

// If one rank closed and others did not, that is the first error; its text contains that rank's own error.
Status WritePipeline::close(const Status& local, Status mismatch, double patience_s) {
  const CallWatch::Call call(*comm_, "close");
  Status status = meet_to_close(local, mismatch, patience_s, true);
  Status early = agree(*comm_, mismatch);
  Status ended = end_together(early.ok() ? std::move(status) : std::move(early));
  if (!comm_->ended().ok() && !mismatch.ok()) return mismatch;  // why it left
  return ended;
}

Status WritePipeline::abandon(const Status& reason, double patience_s) {
  const CallWatch::Call call(*comm_, "abandon");
  Status mismatch;
  Status status = meet_to_close(reason, mismatch, patience_s, false);
  Status early = agree(*comm_, Status());
  return end_together(early.ok() ? std::move(status) : std::move(early));
}

Status WritePipeline::end_together(Status status) {
  if (!comm_->ended().ok()) {
    leave();
    return comm_->ended();
  }
  const auto keep_first = [&](Status next) {
    if (status.ok()) status = std::move(next);
  };
  status = both(std::move(status), commit_step_in_flight());
  plans_.buffers().withdraw();
  keep_first(dataset_.finish(status.ok()));
  const Stopwatch watch;
  keep_first(dataset_.sync());
  record_.counters().store_s += watch.elapsed_s();
  plans_.close();
  keep_first(write_report(*comm_, record_, dataset_, plans_));
  keep_first(dataset_.release());
  return status;
}

Result<RunReport> WritePipeline::report() {
  const CallWatch::Call call(*comm_, "report");
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{Status(), "report", 0, "", false}));
  ESKER_RETURN_IF_ERROR(commit_step_in_flight());
  return make_report(*comm_, record_, dataset_, plans_);
}

}  // namespace esker
