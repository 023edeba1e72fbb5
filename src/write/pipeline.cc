#include "write/pipeline.h"

#include <algorithm>
#include <array>

#include "base/checked.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/guarded.h"
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

Result<std::unique_ptr<WritePipeline>> WritePipeline::open(const std::shared_ptr<Comm>& comm,
                                                           const std::shared_ptr<Store>& store,
                                                           const char* operation, const std::string& path,
                                                           const Options& options) {
  const auto opened = agree(*comm, Ballot{{}, operation, hash_text(0, path), path, false});
  ESKER_RETURN_IF_ERROR(opened.status());
  auto shared = share_options(*comm, options);
  ESKER_RETURN_IF_ERROR(agree(*comm, shared.status()));
  auto format = make_format_writer(store, path, *shared);
  ESKER_RETURN_IF_ERROR(agree(*comm, format.status()));
  return std::unique_ptr<WritePipeline>(
      new WritePipeline(comm, store, std::move(*format), std::move(*shared)));
}

Result<std::unique_ptr<WritePipeline>> WritePipeline::create(std::shared_ptr<Comm> comm,
                                                             std::shared_ptr<Store> store,
                                                             const std::string& path,
                                                             const Options& options) {
  ESKER_ASSIGN_OR_RETURN(auto pipeline, open(comm, store, "create", path, options));
  ESKER_RETURN_IF_ERROR(run_on_root(*comm, [&] { return pipeline->format_->check_target(); }));
  return pipeline;
}

Result<std::unique_ptr<WritePipeline>> WritePipeline::append(std::shared_ptr<Comm> comm,
                                                             std::shared_ptr<Store> store,
                                                             const std::string& path,
                                                             const Options& options) {
  ESKER_ASSIGN_OR_RETURN(auto pipeline, open(comm, store, "append", path, options));
  ESKER_RETURN_IF_ERROR(pipeline->restore());
  return pipeline;
}

Status WritePipeline::restore() {
  std::string existing;
  ESKER_RETURN_IF_ERROR(run_on_root(*comm_, [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(existing, format_->read_existing());
    return {};
  }));
  existing = broadcast_text(*comm_, existing, 0);
  ESKER_RETURN_IF_ERROR(agree(*comm_, guarded("append", [&] { return format_->restore(existing); })));
  ESKER_RETURN_IF_ERROR(
      run_on_root(*comm_, [&] { return format_->reclaim(options_.fsync != Fsync::kNone); }));
  schema_ = format_->schema();
  times_ = format_->times();
  defined_ = true;
  created_ = true;
  return {};
}

// Rank 0 says how many steps are left, also after a failure: what it has taken back stays taken back.
Status WritePipeline::rewind(const Status& local, double time) {
  const std::string arguments = fmt::format("time {:.17g}", time);
  const auto opened = agree(*comm_, Ballot{local, "rewind", hash_text(0, arguments), arguments, false});
  ESKER_RETURN_IF_ERROR(opened.status());
  const auto kept = std::upper_bound(times_.begin(), times_.end(), time) - times_.begin();
  const Status status = run_on_root(*comm_, [&]() -> Status {
    const bool durable = options_.fsync != Fsync::kNone;
    ESKER_RETURN_IF_ERROR(format_->rewind(kept, durable));
    return format_->reclaim(durable);
  });
  times_.resize(static_cast<std::size_t>(kept));
  return status;
}

/// What is missing on the device is better known before the first byte than in the middle. Rank 0.
Status WritePipeline::check_space(const StepPlan& plan) const {
  if (!created_ && format_->replaces_existing()) return {};  // what is replaced makes room first
  const std::string directory = directory_of(format_->stem());
  const auto free = store_->free_bytes(directory);
  const Index needed = plan.space.stored_bytes();
  if (!free.ok() || *free >= needed) return {};
  return error(Code::kIoError, "{}: No space left on device: the step takes {} bytes, {} are free", directory,
               needed, *free);
}

Status WritePipeline::define(const Status& local, const Schema& schema) {
  const std::string text = describe_schema(schema);
  const auto opened = agree(*comm_, Ballot{local, "first end_step", hash_text(0, text), text, false});
  ESKER_RETURN_IF_ERROR(opened.status());
  schema_ = schema;
  const Status status = agree(*comm_, format_->define(schema_));
  defined_ = status.ok();
  return status;
}

// What the dataset replaces goes when the first step is known to be good, not before.
Status WritePipeline::create_files() {
  if (created_) return {};
  const bool durable = options_.fsync == Fsync::kStep;
  const Status status = run_on_root(*comm_, [&] { return format_->create(durable); });
  created_ = status.ok();
  return status;
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
  const bool stale = !known.ready || buffers_.size_bytes() < known.plan.buffer_bytes() ||
                     known.boxes != boxes_of(input.patches, known.fields);
  const std::string arguments = fmt::format("step {}, time {:.17g}", input.step, input.time);
  Status mine = input.status;
  if (mine.ok() && !stale && comm_->rank() == 0) mine = check_space(known);
  const auto opened = agree(*comm_, Ballot{mine, "end_step", hash_text(0, arguments), arguments, stale});
  counters_.agree_s += watch.elapsed_s();
  ESKER_RETURN_IF_ERROR(opened.status());
  if (opened->any_flag) ESKER_RETURN_IF_ERROR(make_step_plan(known, due, input));
  ESKER_RETURN_IF_ERROR(create_files());

  StepFiles files(*store_, *known.layouts, known.space, input.step, directory_of(format_->stem()));
  Status status = move(known, input, files);
  if (!status.ok()) {
    files.discard();
    (void)agree(*comm_, Status());  // nobody starts the next step among files that are still being removed
    return status;
  }
  ESKER_RETURN_IF_ERROR(commit(due, input, files));
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
  const BoxesOfField boxes = gather_boxes(*comm_, schema_, plan.fields, plan.boxes);
  // Every rank checks the same boxes and finds the same defect, so there is nothing to agree on.
  ESKER_RETURN_IF_ERROR(check_coverage(schema_, boxes).with_context(fmt::format("step {}", input.step)));
  for (const int f : plan.fields) {
    const Field& field = schema_.fields()[f];
    plan.data_bytes += schema_.box_of(schema_.grids()[field.grid]).num_samples() * field.sample_bytes();
  }
  ESKER_RETURN_IF_ERROR(run_on_root(*comm_, [&] { return check_space(plan); }));
  ESKER_RETURN_IF_ERROR(fit_to_budget(plan, patches_of_columns(plan.layouts->columns, boxes)));
  plan.ready = true;
  ++counters_.plans;
  counters_.plan_s += watch.elapsed_s();
  return {};
}

// Buffers of a round hold what is sent, received and stored in it. How much a rank sends depends on where its
// samples go, so the window starts at a third of the budget and shrinks, down to one piece, until the largest
// rank fits. No message or window is larger than 1 GiB, whatever the budget: MPI counts are 32 bits.
Status WritePipeline::fit_to_budget(StepPlan& plan, const std::vector<FieldPatches>& fields) {
  constexpr Index kMaxPartBytes = Index{1} << 30;
  const Index budget = options_.memory_budget_bytes;
  const Index stored = plan.space.stored_bytes();
  const Index least = std::max<Index>(1, plan.space.largest_piece_bytes());
  const int n_aggregators = options_.aggregators > 0 ? std::min(options_.aggregators, comm_->size())
                                                     : choose_aggregators(comm_->size(), stored);
  const Index largest_share = 2 * div_up(stored, n_aggregators);  // cuts move towards ends of files
  Index window_bytes =
      std::clamp(std::min(budget / 3, largest_share), least, std::max(least, kMaxPartBytes / 2));
  for (;; window_bytes = std::max(least, window_bytes / 2)) {
    const Status planned = guarded("plan", [&] {
      const Ownership ownership(plan.space, comm_->size(), n_aggregators, window_bytes);
      plan.plan = make_plan(plan.space, ownership, fields, comm_->rank());
      if (plan.layouts->has_checksums()) plan.sums = PieceSums(plan.plan);
      plan.writers = ownership.num_writers();
      return Status();
    });
    ESKER_RETURN_IF_ERROR(agree(*comm_, planned));
    const Plan& made = plan.plan;
    std::array<std::uint64_t, 2> needed{
        static_cast<std::uint64_t>(made.buffer_bytes()),
        static_cast<std::uint64_t>(std::max({made.send_bytes, made.receive_bytes, made.window_bytes}))};
    comm_->all_reduce_max(needed);
    if (needed[0] <= static_cast<std::uint64_t>(budget) && needed[1] <= kMaxPartBytes) {
      return agree(*comm_, buffers_.reserve(made));
    }
    if (window_bytes == least) {
      return error(
          Code::kOutOfMemory,
          "memory_budget {} bytes: one block at a time needs {} bytes on some rank; set memory_budget to "
          "at least that, or bits_per_block lower",
          budget, needed[0]);
    }
  }
}

/// This rank's patches of the components that a column holds.
std::vector<Patch> WritePipeline::patches_of(const StepLayouts::Column& column, const StepInput& input) {
  std::vector<Patch> patches = input.patches[column.field];
  for (Patch& patch : patches) {
    patch.data =
        static_cast<const std::byte*>(patch.data) + column.first_component * patch.component_stride_bytes;
  }
  return patches;
}

void WritePipeline::add_sums(StepPlan& plan, const Window& window, std::span<const std::byte> bytes) {
  const Stopwatch watch;
  for (Index number = window.first_piece; number < window.last_piece; ++number) {
    const Piece piece = plan.space.piece(number);
    const Index begin = plan.space.position_bytes(number) - window.begin;
    plan.sums.set(number, plan.layouts->checksum(piece, bytes.subspan(begin, piece.size_bytes)));
  }
  counters_.checksum_s += watch.elapsed_s();
  counters_.store_s -= watch.elapsed_s();  // which the exchange adds with the rest of this call
}

Status WritePipeline::move(StepPlan& plan, const StepInput& input, StepFiles& files) {
  std::vector<std::vector<Patch>> patches;
  for (const auto& column : plan.layouts->columns) patches.push_back(patches_of(column, input));
  const bool has_sums = plan.layouts->has_checksums();
  const ExchangeStats stats =
      run_exchange(*comm_, plan.plan, patches, buffers_, [&](const Window& window, auto bytes) {
        if (has_sums) add_sums(plan, window, bytes);
        files.write(window, bytes);
        counters_.stored_bytes += window.size_bytes();
      });
  counters_.add(stats);
  if (has_sums) plan.sums.hand_over(*comm_, plan.plan);
  counters_.peak_buffer_bytes = std::max(counters_.peak_buffer_bytes, buffers_.size_bytes());
  Stopwatch watch;
  const Status stored = files.finish(plan.sums, options_.fsync == Fsync::kStep);
  counters_.store_s += watch.lap();
  const Status agreed = agree(*comm_, stored);
  counters_.agree_s += watch.lap();
  return agreed;
}

// If the commit fails, what it made visible is taken back before the step's files go. If that fails, too, the
// files stay: a step that some reader may see must not lose its data.
Status WritePipeline::commit(const std::vector<bool>& due, const StepInput& input, StepFiles& files) {
  const Stopwatch watch;
  const Status committed = run_on_root(
      *comm_, [&] { return format_->commit(input.step, input.time, due, options_.fsync == Fsync::kStep); });
  counters_.commit_s += watch.elapsed_s();
  if (committed.ok()) return {};
  const Status rewound = run_on_root(*comm_, [&] { return format_->rewind(input.step, false); });
  if (!rewound.ok()) return committed.with_context("the step may be visible, because " + rewound.message());
  files.discard();
  (void)agree(*comm_, Status());
  return committed;
}

void WritePipeline::record_step(const StepPlan& plan, const StepInput& input, double seconds) {
  counters_.step_s += seconds;
  comm_->all_reduce_max(std::span<double>(&seconds, 1));
  times_.push_back(input.time);
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
  const auto keep_first = [&](const Status& next) {
    if (status.ok()) status = next;
  };
  // A dataset without a step is made where there was none; it takes the place of no other.
  if (defined_ && !created_) {
    keep_first(run_on_root(*comm_, [&] {
      return format_->replaces_existing() ? Status() : format_->create(options_.fsync != Fsync::kNone);
    }));
  }
  if (options_.fsync == Fsync::kClose && created_) keep_first(sync_all());
  keep_first(write_report());
  keep_first(run_on_root(*comm_, [&] { return format_->release(); }));
  return status;
}

/// Block files on the ranks that wrote them, then what names them.
Status WritePipeline::sync_all() {
  const Stopwatch watch;
  const std::string top = directory_of(format_->stem());
  Status status = agree(*comm_, sync_files(*store_, written_paths_, top));
  if (status.ok()) {
    status = run_on_root(*comm_, [&] { return sync_files(*store_, format_->metadata_paths(), top); });
  }
  counters_.store_s += watch.elapsed_s();
  return status;
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
