#include "write/pipeline.h"

#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "format/make.h"
#include "store/commit.h"
#include "write/agreed.h"
#include "write/boxes.h"
#include "write/step_files.h"

namespace esker {

WritePipeline::WritePipeline(std::shared_ptr<Comm> comm, std::shared_ptr<Store> store,
                             std::unique_ptr<FormatWriter> format, Options options)
    : comm_(std::move(comm)),
      store_(std::move(store)),
      format_(std::move(format)),
      options_(std::move(options)) {}

Result<std::unique_ptr<WritePipeline>> WritePipeline::create(std::shared_ptr<Comm> comm,
                                                             std::shared_ptr<Store> store,
                                                             const std::string& path,
                                                             const Options& options) {
  const auto opened = agree(*comm, Ballot{{}, "create", hash_text(0, path), path, false});
  ESKER_RETURN_IF_ERROR(opened.status());
  auto shared = share_options(*comm, options);
  ESKER_RETURN_IF_ERROR(agree(*comm, shared.status()));
  auto format = make_format_writer(store, path, *shared);
  ESKER_RETURN_IF_ERROR(agree(*comm, format.status()));
  ESKER_RETURN_IF_ERROR(run_on_root(*comm, [&] { return (*format)->check_target(); }));
  return std::unique_ptr<WritePipeline>(
      new WritePipeline(std::move(comm), std::move(store), std::move(*format), std::move(*shared)));
}

Status WritePipeline::define(const Status& local, const Schema& schema) {
  const std::string text = describe_schema(schema);
  const auto opened = agree(*comm_, Ballot{local, "first end_step", hash_text(0, text), text, false});
  ESKER_RETURN_IF_ERROR(opened.status());
  schema_ = schema;
  ESKER_RETURN_IF_ERROR(agree(*comm_, format_->define(schema_)));
  return run_on_root(*comm_, [&] { return format_->create(); });
}

std::vector<bool> WritePipeline::fields_due(Index step) const {
  std::vector<bool> due;
  for (const Field& field : schema_.fields()) due.push_back(is_due(field, step));
  return due;
}

Status WritePipeline::write_step(const StepInput& input) {
  const Stopwatch watch;
  const std::vector<bool> due = fields_due(input.step);
  StepPlan& known = plans_[due];
  const bool stale = !known.ready || known.boxes != boxes_of(input.patches, known.fields);
  const std::string arguments = fmt::format("step {}, time {:.17g}", input.step, input.time);
  const auto opened =
      agree(*comm_, Ballot{input.status, "end_step", hash_text(0, arguments), arguments, stale});
  counters_.agree_s += watch.elapsed_s();
  ESKER_RETURN_IF_ERROR(opened.status());
  if (opened->any_flag) ESKER_RETURN_IF_ERROR(make_step_plan(known, due, input));

  StepFiles files(*store_, *known.layouts, known.space, input.step);
  Status status = move(known, input, files);
  if (status.ok()) status = commit(due, input);
  if (!status.ok()) {
    files.discard();
    (void)agree(*comm_, Status());  // nobody starts the next step among files that are still being removed
    return status;
  }
  if (options_.fsync == Fsync::kClose) {
    const auto paths = files.paths();
    written_paths_.insert(written_paths_.end(), paths.begin(), paths.end());
  }
  record_step(known, input, watch.elapsed_s());
  return {};
}

Status WritePipeline::make_step_plan(StepPlan& plan, const std::vector<bool>& due, const StepInput& input) {
  const Stopwatch watch;
  plan = StepPlan();
  for (std::size_t f = 0; f < due.size(); ++f) {
    if (due[f]) plan.fields.push_back(static_cast<int>(f));
  }
  plan.boxes = boxes_of(input.patches, plan.fields);
  plan.layouts = format_->lay_out(due);
  for (const auto& layout : plan.layouts->layouts) {
    plan.space.add(*layout);
    plan.files += layout->num_files();
  }
  const std::vector<FieldPatches> fields =
      gather_boxes(*comm_, schema_, plan.fields, plan.layouts->place_of_field, plan.boxes);
  // Every rank checks the same boxes and finds the same defect, so there is nothing to agree on.
  ESKER_RETURN_IF_ERROR(
      check_coverage(schema_, plan.fields, fields).with_context(fmt::format("step {}", input.step)));
  for (const int f : plan.fields) {
    const Field& field = schema_.fields()[f];
    plan.data_bytes += schema_.box_of(schema_.grids()[field.grid]).num_samples() * field.sample_bytes();
  }
  ESKER_RETURN_IF_ERROR(fit_to_budget(plan, fields));
  plan.ready = true;
  ++counters_.plans;
  counters_.plan_s += watch.elapsed_s();
  return {};
}

// Buffers of a round hold what is sent, received and stored in it. How much a rank sends depends on where its
// samples go, so the window starts at a third of the budget and shrinks until the largest rank fits.
Status WritePipeline::fit_to_budget(StepPlan& plan, const std::vector<FieldPatches>& fields) {
  const Index budget = options_.memory_budget_bytes;
  const Index stored = plan.space.stored_bytes();
  const int n_aggregators = options_.aggregators > 0 ? std::min(options_.aggregators, comm_->size())
                                                     : choose_aggregators(comm_->size(), stored);
  std::uint64_t needed = 0;
  std::uint64_t needed_before = std::numeric_limits<std::uint64_t>::max();
  for (Index window_bytes = std::max<Index>(1, budget / 3);; window_bytes = div_up(window_bytes, 2)) {
    const Ownership ownership(plan.space, comm_->size(), n_aggregators, window_bytes);
    plan.plan = make_plan(plan.space, ownership, fields, comm_->rank());
    plan.writers = ownership.num_aggregators();
    needed = static_cast<std::uint64_t>(plan.plan.buffer_bytes());
    comm_->all_reduce_max(std::span<std::uint64_t>(&needed, 1));
    if (needed <= static_cast<std::uint64_t>(budget)) return agree(*comm_, buffers_.reserve(plan.plan));
    if (needed >= needed_before) break;
    needed_before = needed;
  }
  return error(Code::kOutOfMemory,
               "memory_budget {} bytes: one block at a time needs {} bytes per rank; set memory_budget to at "
               "least that, "
               "or bits_per_block lower",
               budget, needed);
}

Status WritePipeline::move(StepPlan& plan, const StepInput& input, StepFiles& files) {
  std::vector<std::vector<Patch>> patches;
  for (const int f : plan.fields) patches.push_back(input.patches[f]);
  const ExchangeStats stats =
      run_exchange(*comm_, plan.plan, patches, buffers_, [&](const Window& window, auto bytes) {
        files.write(window, bytes);
        counters_.stored_bytes += window.size_bytes();
      });
  counters_.add(stats);
  counters_.peak_buffer_bytes = std::max(counters_.peak_buffer_bytes, buffers_.size_bytes());
  Stopwatch watch;
  const Status stored = files.finish(options_.fsync == Fsync::kStep);
  counters_.store_s += watch.lap();
  const Status agreed = agree(*comm_, stored);
  counters_.agree_s += watch.lap();
  return agreed;
}

Status WritePipeline::commit(const std::vector<bool>& due, const StepInput& input) {
  const Stopwatch watch;
  const Status status = run_on_root(*comm_, [&] {
    const Status committed = format_->commit(input.step, input.time, due, options_.fsync == Fsync::kStep);
    if (!committed.ok()) (void)format_->rewind(input.step);
    return committed;
  });
  counters_.commit_s += watch.elapsed_s();
  return status;
}

void WritePipeline::record_step(const StepPlan& plan, const StepInput& input, double seconds) {
  comm_->all_reduce_max(std::span<double>(&seconds, 1));
  counters_.step_s += seconds;
  for (const int f : plan.fields) {
    for (const Patch& patch : input.patches[f]) {
      counters_.put_bytes += patch.box.num_samples() * schema_.fields()[f].sample_bytes();
    }
  }
  steps_.push_back({input.step, input.time, plan.data_bytes, plan.space.stored_bytes(), seconds, plan.writers,
                    plan.files});
}

Status WritePipeline::close(const Status& local) {
  const auto opened = agree(*comm_, Ballot{local, "close", 0, "", false});
  Status status = opened.status();
  if (status.code() == Code::kMismatchedCall)
    return status;  // the others are elsewhere: nothing more to do together
  if (options_.fsync == Fsync::kClose) {
    const Status synced = agree(*comm_, sync_files(*store_, written_paths_));
    if (status.ok()) status = synced;
  }
  const Status reported = write_report();
  if (status.ok()) status = reported;
  const Status released = run_on_root(*comm_, [&] { return format_->release(); });
  return status.ok() ? released : status;
}

Status WritePipeline::write_report() {
  if (options_.report == "none" || steps_.empty()) return {};
  const std::string path = options_.report.empty() ? format_->stem() + ".report.json" : options_.report;
  const RunReport report = gather_report(*comm_, counters_, steps_, options_);
  return run_on_root(*comm_, [&] { return replace_file(*store_, path, report_to_json(report), false); });
}

Result<RunReport> WritePipeline::report() {
  const auto opened = agree(*comm_, Ballot{{}, "report", 0, "", false});
  ESKER_RETURN_IF_ERROR(opened.status());
  return gather_report(*comm_, counters_, steps_, options_);
}

}  // namespace esker
