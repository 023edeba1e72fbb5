#include "write/pipeline.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "base/checked.h"
#include "base/clock.h"
#include "base/counting.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "comm/call_watch.h"
#include "comm/gather.h"
#include "comm/roll_call.h"
#include "exchange/shared_options.h"
#include "formats/registry/make_writer.h"
#include "model/fill_value.h"
#include "model/mesh_arrays.h"
#include "plan/plan_memory.h"
#include "store/commit.h"
#include "write/add_levels.h"
#include "write/append_target.h"
#include "write/boxes.h"
#include "write/buffer_store.h"
#include "write/describe.h"
#include "write/resolve_meshes.h"
#include "write/step_files.h"
#include "write/step_regions.h"

namespace esker {

WritePipeline::WritePipeline(std::shared_ptr<Comm> comm, std::shared_ptr<Store> store,
                             std::unique_ptr<FormatWriter> format, Options options,
                             const FilePattern& pattern)
    : comm_(observed_comm(std::move(comm),
                          [this](CommCall call, std::size_t bytes) { traffic_.count(call, bytes); })),
      store_(std::move(store)),
      format_(std::move(format)),
      options_(std::move(options)),
      file_pattern_(pattern),
      top_(directory_of(format_->stem())),
      unsynced_(*store_, format_->stem(), top_, options_.fsync == Fsync::kClose),
      planner_(*comm_, options_, file_pattern_, buffers_) {
  comm_->add_end_listener(this);
}

/// Without the other ranks: the dataset is as the last step left it, and other programs may write it now.
void WritePipeline::release_alone() {
  if (comm_->rank() == 0) (void)guarded("release", [this] { return format_->release(); });
}

namespace {

/// Sets the option `format` to the format of the dataset, for the report.
Status settle_format(const std::string& path, Options& options) {
  ESKER_ASSIGN_OR_RETURN(const std::string format, choose_format(path, options));
  return format == options.format ? Status() : options.set("format", format, "suffix of the path");
}

/// Collective.
int count_nodes(Comm& comm) {
  std::array<double, 1> leaders{comm.node().rank() == 0 ? 1.0 : 0.0};
  comm.all_reduce_sum(leaders);
  return static_cast<int>(leaders[0]);
}

}  // namespace

Result<std::unique_ptr<WritePipeline>> WritePipeline::open(const std::shared_ptr<Comm>& comm,
                                                           const std::shared_ptr<Store>& store,
                                                           const char* operation, const std::string& path,
                                                           const Result<Options>& options) {
  const bool appends = std::string_view(operation) == "append";
  const Status local = store ? Status() : out_of_memory(operation);
  ESKER_ASSIGN_OR_RETURN(Options shared, open_together(*comm, operation, path, options, local));
  std::string target;
  ESKER_RETURN_IF_ERROR(all_do(*comm, operation, [&] {
    target = path;
    return Status();
  }));
  if (appends) ESKER_RETURN_IF_ERROR(share_append_target(*comm, *store, target, shared.format));
  ESKER_RETURN_IF_ERROR(all_do(*comm, operation, [&] { return settle_format(target, shared); }));
  const int n_nodes = shared.partitions.number > 0 ? count_nodes(*comm) : 0;
  ESKER_RETURN_IF_ERROR(
      all_do(*comm, operation, [&] { return settle_partitions(comm->size(), n_nodes, shared); }));
  ESKER_ASSIGN_OR_RETURN(const FilePattern pattern, choose_pattern(*comm, *store, target, shared));
  std::unique_ptr<WritePipeline> pipeline;
  std::shared_ptr<RollCall> roll_call;
  const auto make = [&]() -> Status {
    std::shared_ptr<Store> used = store;
    if (shared.storage == Storage::kMpiIo) {
      ESKER_ASSIGN_OR_RETURN(used, comm->store_by_mpi_io(store, shared.hints));
    }
    ESKER_ASSIGN_OR_RETURN(auto format, make_format_writer(used, target, shared));
    if (shared.call_timeout > 0) {
      roll_call = std::make_shared<RollCall>(comm->size(), shared.call_timeout);
    }
    pipeline.reset(new WritePipeline(comm, used, std::move(format), std::move(shared), pattern));
    if (pipeline->options_.report_timeline) {
      pipeline->timeline_ = std::make_unique<Timeline>(comm->rank(), comm->size());
      pipeline->timeline_->record(pipeline->counters_);
    }
    return {};
  };
  ESKER_RETURN_IF_ERROR(all_do(*comm, operation, make));
  ESKER_ASSIGN_OR_RETURN(pipeline->tuner_, StepTuner::make(*comm, store, pipeline->options_));
  if (roll_call) comm->set_roll_call(std::move(roll_call));  // on all ranks, or on none
  return pipeline;
}

Result<std::unique_ptr<WritePipeline>> WritePipeline::create(std::shared_ptr<Comm> comm,
                                                             std::shared_ptr<Store> store,
                                                             const std::string& path,
                                                             const Result<Options>& options) {
  const CallWatch::Call call(*comm, "create");
  ESKER_ASSIGN_OR_RETURN(auto pipeline, open(comm, store, "create", path, options));
  ESKER_RETURN_IF_ERROR(root_does(*comm, "create", [&] {
    Status free = pipeline->format_->check_target();
    return free.ok() ? pipeline->remove_old_report() : free;
  }));
  return pipeline;
}

Result<std::unique_ptr<WritePipeline>> WritePipeline::append(std::shared_ptr<Comm> comm,
                                                             std::shared_ptr<Store> store,
                                                             const std::string& path,
                                                             const Result<Options>& options,
                                                             const std::optional<double>& to_time) {
  const CallWatch::Call call(*comm, "append");
  ESKER_ASSIGN_OR_RETURN(auto pipeline, open(comm, store, "append", path, options));
  ESKER_RETURN_IF_ERROR(pipeline->restore(to_time));
  return pipeline;
}

Status WritePipeline::restore(const std::optional<double>& to_time) {
  std::string existing;
  ESKER_RETURN_IF_ERROR(root_does(*comm_, "append", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(existing, format_->read_existing());
    return {};
  }));
  ESKER_ASSIGN_OR_RETURN(existing, share_text(*comm_, std::move(existing), 0));
  const auto take_up = [&]() -> Status {
    ESKER_RETURN_IF_ERROR(format_->restore(existing));
    if (format_->stores_flat()) ESKER_RETURN_IF_ERROR(check_mesh_arrays(format_->schema()));
    ESKER_RETURN_IF_ERROR(format_->check_steps(to_time));
    schema_ = format_->schema();
    times_ = format_->times();
    return {};
  };
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "append", take_up));
  is_found_ = true;
  format_->protect_committed();
  ESKER_RETURN_IF_ERROR(
      root_does(*comm_, "append", [&] { return unsynced_.settle(std::ssize(times_), paths_of_steps()); }));
  ESKER_RETURN_IF_ERROR(reclaim(true));
  ESKER_RETURN_IF_ERROR(root_does(*comm_, "append", [&] { return remove_old_report(); }));
  defined_ = true;
  created_ = true;
  return {};
}

UnsyncedSteps::PathsOf WritePipeline::paths_of_steps() const {
  return [this](Index begin, Index end) {
    std::vector<std::string> paths = format_->data_paths(begin, end);
    for (std::string& path : format_->metadata_paths()) paths.push_back(std::move(path));
    return paths;
  };
}

Status WritePipeline::accept_lost_steps() {
  return root_does(*comm_, "accept", [&] { return unsynced_.accept(std::ssize(times_), paths_of_steps()); });
}

// Leftovers of a failure here are removed before the next step: no step is written over leftovers.
Status WritePipeline::reclaim(bool durable) {
  const Status status = root_does(*comm_, "reclaim", [&] { return format_->reclaim(durable); });
  has_leftovers_ = !status.ok();
  settle_indexes(std::ssize(times_));
  return status;
}

// If this fails, the steps that are still visible are undone before the next step or at close.
Status WritePipeline::rewind(const Status& local, double time) {
  const CallWatch::Call call(*comm_, "rewind");
  std::string arguments;
  const Status mine = guarded("rewind", [&] {
    arguments = fmt::format("time {:.17g}", time);
    return local;
  });
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{mine, "rewind", hash_text(0, arguments), arguments, false}));
  if (!created_) return {};  // the files there are those that the first step replaces, or none
  const auto kept = std::upper_bound(times_.begin(), times_.end(), time) - times_.begin();
  const bool durable = is_found_ || options_.fsync != Fsync::kNone;
  Status status = root_does(*comm_, "rewind", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(format_->rewind(kept, durable));
    return unsynced_.rewound(kept);
  });
  has_leftovers_ = !status.ok();
  if (status.ok()) status = reclaim(durable);
  times_.resize(static_cast<std::size_t>(kept));
  settle_indexes(kept);
  written_paths_.erase(written_paths_.lower_bound(kept), written_paths_.end());
  return status;
}

/// A lack of space on the device is better reported before the first byte than in the middle. A compressed
/// step is expected to shrink as the one before. Rank 0.
Status WritePipeline::check_space(const StepPlan& plan) const {
  if (!created_ && format_->replaces_existing()) return {};  // removing the replaced dataset frees space
  const auto free = store_->free_bytes(top_);
  const Index raw_bytes = plan.space.stored_bytes();
  const Index needed = plan.layouts->compresses()
                           ? static_cast<Index>(stored_over_raw_ * static_cast<double>(raw_bytes))
                           : raw_bytes;
  if (!free.ok() || *free >= needed) return {};
  return error(Code::kIoError, "{}: No space left on device: the step needs {} bytes, {} are free", top_,
               needed, *free);
}

Status WritePipeline::define(const Status& local, const Schema& schema) {
  const CallWatch::Call call(*comm_, "define");
  std::string text;
  const Status mine = guarded("define", [&] {
    text = describe_schema(schema);
    return local;
  });
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{mine, "first end_step", hash_text(0, text), text, false}));
  const Status status = all_do(*comm_, "define", [&] {
    schema_ = schema;
    ESKER_RETURN_IF_ERROR(schema_.set_default_compression(options_.compression));
    if (format_->stores_flat()) ESKER_RETURN_IF_ERROR(check_mesh_arrays(schema_));
    return format_->define(schema_);
  });
  defined_ = status.ok();
  return status;
}

// The replaced dataset is removed once the first step is known to be good, not before.
Status WritePipeline::create_files() {
  if (created_) return {};
  const bool durable = options_.fsync == Fsync::kStep;
  const Status status = root_does(*comm_, "create", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(format_->create(durable));
    return unsynced_.created();
  });
  created_ = status.ok();
  return status;
}

std::vector<bool> WritePipeline::fields_stored(const StepInput& input) const {
  if (input.schema) return input.stored;
  std::vector<bool> due;
  for (const Field& field : schema_.fields()) due.push_back(is_due(field, input.step));
  return due;
}

/// Reserves room for one more element, so that adding it cannot fail.
template <class T>
void make_room(std::vector<T>& list) {
  if (list.size() == list.capacity()) list.reserve(2 * list.size() + 16);
}

// Everything that may need memory once the plan is known is done here, before the ranks communicate.
Status WritePipeline::prepare(const StepInput& input, Prepared& prepared) {
  ESKER_RETURN_IF_ERROR(input.status);
  prepared.hash = hash_text(0, fmt::format("{} {:.17g}", input.step, input.time));
  // Another rank may count from another number.
  prepared.arguments = fmt::format("step {}, time {:.17g}", counted(input.step), input.time);
  if (created_ && comm_->rank() == 0) {
    ESKER_RETURN_IF_ERROR(format_->check_ours());
    ESKER_RETURN_IF_ERROR(format_->check_step_place(input.step));
  }
  ESKER_RETURN_IF_ERROR(unsynced_.check());
  make_room(times_);
  make_room(steps_);
  prepared.keeps = keeps(input);
  if (prepared.keeps) return {};
  const bool takes_setting = tuner_ && comm_->rank() == 0 && tuner_->choose(input.step, workload_of(input));
  prepared.stale = !take_plan(input, prepared.plan) || takes_setting;
  return comm_->rank() == 0 && !prepared.stale ? check_space(*prepared.plan) : Status();
}

/// The plan of a dense step. Whether it fits; then it has taken the patches. Local.
bool WritePipeline::take_plan(const StepInput& input, StepPlan*& plan) {
  plan = &plans_[{fields_stored(input), false}];
  const bool needs_room = input.copied_bytes > 0 && !holds_copies_;
  if (needs_room || !fits(*plan, input.step) || plan->boxes != boxes_of(input.patches, plan->fields)) {
    return false;
  }
  take_patches(*plan, input.patches);
  plan->exchange.transport->take(plan->exchange.plan, plan->patches, buffers_.parts(plan->exchange.plan));
  return true;
}

/// Whether a step can be written by the plan, if it stores what was planned.
bool WritePipeline::fits(const StepPlan& plan, Index step) const {
  return plan.ready && buffers_.fit(plan.exchange.plan) &&
         (!plan.exchange.transport->is_one_sided() || buffers_.is_exposed()) && plan.layouts->fits(step);
}

Status WritePipeline::write_step(const StepInput& input) {
  if (!has_meshes(schema_)) return write_flat_step(input);
  const CallWatch::Call call(*comm_, "end_step");
  const Status mine = guarded("end_step", [&] {
    return input.status.ok() ? format_->take_patches({}) : input.status;  // releases those of the last step
  });
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{mine, "end_step", 0, "", false}));
  const StepTraffic::For purpose(traffic_, StepTraffic::Purpose::kPlan);
  ESKER_ASSIGN_OR_RETURN(StepInput flat, resolve_meshes(*comm_, schema_, *format_, input, options_));
  if (format_->stores_levels()) {
    ESKER_RETURN_IF_ERROR(all_do(*comm_, "mesh", [&] { return add_levels(schema_, *format_, input, flat); }));
  }
  return write_flat_step(flat);
}

/// A step whose fields, or level fields, are all arrays.
Status WritePipeline::write_flat_step(const StepInput& input) {
  const CallWatch::Call call(*comm_, "end_step");
  const Stopwatch watch;
  begin_counting();
  Prepared prepared;
  const Status mine = guarded("end_step", [&] { return prepare(input, prepared); });
  bool any_stale = false, any_keeps = false;
  Status status = agree(
      *comm_, Ballot{mine, "end_step", prepared.hash, prepared.arguments, prepared.stale, 0, prepared.keeps},
      &any_stale, &any_keeps);
  const double opening_s = watch.elapsed_s();
  if (timeline_) timeline_->begin_step(input.step);
  counters_.agree_s += opening_s;
  if (!status.ok()) return status;
  if (any_keeps) {
    status = make_sparse_plan(input, prepared.plan);
  } else if (any_stale) {
    status = make_step_plan(input, prepared.plan);
  }
  if (status.ok()) status = store_step(*prepared.plan, input, watch, opening_s);
  if (!status.ok()) tell_tuner([&] { tuner_->fail(); });
  return status;
}

/// Stores and commits a step that is planned.
Status WritePipeline::store_step(StepPlan& plan, const StepInput& input, const Stopwatch& watch,
                                 double opening_s) {
  // Creating may replace a dataset. Later steps find such samples when they code them.
  if (!created_ && plan.cells) {
    ESKER_RETURN_IF_ERROR(all_do(*comm_, "end_step", [&] { return plan.cells->check_values(plan.patches); }));
  }
  ESKER_RETURN_IF_ERROR(create_files());
  if (has_leftovers_) ESKER_RETURN_IF_ERROR(reclaim(is_found_ || options_.fsync == Fsync::kStep));
  ESKER_RETURN_IF_ERROR(prepare_places(plan, input));

  StepFiles files(*store_, *plan.layouts, plan.space, input.step, top_);
  const Status status = move(plan, input, files);
  if (!status.ok()) {
    discard(input.step, files);
    return status;
  }
  ESKER_RETURN_IF_ERROR(commit(plan, input, files));
  if (timeline_) timeline_->keep_step();
  record_step(plan, input, watch.elapsed_s(), opening_s);
  return {};
}

Status WritePipeline::make_step_plan(const StepInput& input, StepPlan*& plan) {
  const StepTraffic::For purpose(traffic_, StepTraffic::Purpose::kPlan);
  const Stopwatch watch;
  ESKER_RETURN_IF_ERROR(make_room_for_copies(input));
  for (bool again = true; again;) {
    again = false;
    const Stopwatch this_plan;
    const double reserved_s = buffers_.reserving_s();
    bool is_planned = false;
    if (tuner_) ESKER_RETURN_IF_ERROR(take_setting(input, plan, is_planned));
    if (is_planned) break;
    Status planned = try_step_plan(*plan, input);
    if (tuner_) {
      const double plan_s = this_plan.elapsed_s() - (buffers_.reserving_s() - reserved_s);
      planned = tuner_->judge(*comm_, planned, plan->exchange.plan, plan_s, again);
    }
    ESKER_RETURN_IF_ERROR(planned);
  }
  counters_.plan_s += watch.elapsed_s();
  return {};
}

/// With the options in force. Collective.
Status WritePipeline::try_step_plan(StepPlan& plan, const StepInput& input) {
  ESKER_ASSIGN_OR_RETURN(SharedBoxes boxes, begin_plan(plan, input));
  return lay_out_and_plan(plan, input, boxes);
}

/// Before the dataset is created: an attempt at its first step does not depend on what the attempts before it
/// chose. Plans refer to the parts that the choices shape. Local.
Status WritePipeline::forget_choices() {
  if (created_) return {};
  for (auto& [key, plan] : plans_) plan.ready = false;
  earlier_plans_.clear();
  return format_->reset_block_bits();
}

/// A plan with what its layouts depend on, except for the blocks of a sparse step. Collective.
Result<SharedBoxes> WritePipeline::begin_plan(StepPlan& plan, const StepInput& input) {
  std::string context;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    context = fmt::format("step {}", counted(input.step));
    plan = StepPlan();
    take_fields(plan, stored_schema(input), fields_stored(input), input.patches);
    return forget_choices();
  }));
  if (!created_ && format_->needs_boxes()) {
    ESKER_ASSIGN_OR_RETURN(const auto extents, regular_extents(*comm_, stored_schema(input), input.patches));
    ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] { return format_->take_boxes(extents); }));
  }
  ESKER_ASSIGN_OR_RETURN(plan.dense_axes, common_dense_axes(*comm_, input.patches));
  return share_boxes(*comm_, stored_schema(input), plan.fields, plan.boxes, context, options_.partial);
}

/// Collective.
Status WritePipeline::lay_out_and_plan(StepPlan& plan, const StepInput& input, SharedBoxes& boxes) {
  plan.ready = false;
  const auto lay_out_step = [&]() -> Status {
    plan.exchange = {};
    plan.cells.reset();
    plan.compressor.reset();
    StepHints hints = file_pattern_.hints();
    hints.step = input.step;
    hints.dense_axes = plan.dense_axes;
    lay_out(plan, *format_, hints, input.patches);
    plan.mesh_list_bytes = size_bytes(input.patches_of_meshes);
    plan.fill.clear();
    const bool may_have_gaps = options_.partial || has_meshes(schema_);
    for (const auto& column : plan.layouts->columns) {
      if (!may_have_gaps) break;
      plan.fill.push_back(fill_value(stored_schema(input).fields()[static_cast<std::size_t>(column.field)]));
    }
    ESKER_RETURN_IF_ERROR(check_phases(options_, *plan.layouts));
    return comm_->rank() == 0 ? check_space(plan) : Status();
  };
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", lay_out_step));
  Status planned = planner_.make(plan, stored_schema(input), boxes);
  if (planned.code() == Code::kOutOfMemory && holds_copies_) {
    planned = planned.with_context("copies of buffered puts leave half of memory_budget");
  }
  ESKER_RETURN_IF_ERROR(planned);
  ++counters_.plans;
  counters_.plan_bytes = size_bytes(input.patches_of_meshes);
  for (const auto& [key, kept] : plans_) counters_.plan_bytes += memory_of(kept);
  for (const auto& [setting, plans] : earlier_plans_) {
    for (const auto& [key, kept] : plans) counters_.plan_bytes += memory_of(kept);
  }
  return {};
}

// The boxes of a sparse plan are kept: as long as they do not change, only the blocks are found again.
Status WritePipeline::make_sparse_plan(const StepInput& input, StepPlan*& plan) {
  const StepTraffic::For purpose(traffic_, StepTraffic::Purpose::kPlan);
  const Stopwatch watch;
  ESKER_RETURN_IF_ERROR(make_room_for_copies(input));
  ESKER_ASSIGN_OR_RETURN(KeptFields kept, find_regions(input, plan));
  const bool is_same = have_same_blocks(kept, plan->kept);
  bool any_stale = false;
  ESKER_RETURN_IF_ERROR(
      agree(*comm_, Ballot{Status(), "", 0, "", !is_same || !fits(*plan, input.step)}, &any_stale));
  plan->kept = std::move(kept);
  if (any_stale) {
    ESKER_RETURN_IF_ERROR(lay_out_and_plan(*plan, input, *plan->shared));
  } else {
    ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
      take_patches(*plan, input.patches);
      plan->exchange.transport->take(plan->exchange.plan, plan->patches, buffers_.parts(plan->exchange.plan));
      return Status();
    }));
    ESKER_RETURN_IF_ERROR(root_does(*comm_, "plan", [&] { return check_space(*plan); }));
  }
  counters_.plan_s += watch.elapsed_s();
  return {};
}

/// Finds the plan of the step, and the blocks that the step stores. Collective.
Result<KeptFields> WritePipeline::find_regions(const StepInput& input, StepPlan*& plan) {
  bool is_stale = true, any_stale = true;
  std::vector<bool> due;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    due = fields_stored(input);
    plan = &plans_[{due, true}];
    is_stale = !plan->shared || plan->boxes != boxes_of(input.patches, plan->fields);
    due.resize(schema_.fields().size());  // level fields are stored completely
    return forget_choices();
  }));
  StepRegions regions(
      *comm_, {schema_, *format_, options_.format, input.keep, input.patches, due, options_.keep_level,
               options_.memory_budget_bytes / 8, options_.memory_budget_bytes / 2, options_.partial});
  ESKER_RETURN_IF_ERROR(regions.agree_on_rules(is_stale, any_stale));
  if (any_stale) ESKER_RETURN_IF_ERROR(begin_sparse_plan(*plan, input));
  ESKER_RETURN_IF_ERROR(regions.share_levels(plan->shared->directory, plan->shared->of_field));
  if (!created_) ESKER_RETURN_IF_ERROR(regions.choose_block_bits(*format_));
  auto kept = regions.find();
  plan->raised_from = regions.raised_from();
  return kept;
}

/// Begins a sparse plan, which keeps the boxes. Collective.
Status WritePipeline::begin_sparse_plan(StepPlan& plan, const StepInput& input) {
  ESKER_ASSIGN_OR_RETURN(SharedBoxes boxes, begin_plan(plan, input));
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    plan.shared = std::make_unique<SharedBoxes>(std::move(boxes));
    return Status();
  }));
  const bool few =
      size_bytes_of_all(*plan.shared) <= options_.memory_budget_bytes / 8;  // the same on all ranks
  return few ? plan.shared->directory.learn_all() : Status();
}

// Copies and buffers get half of the budget each, from the first step on in which a rank has copies.
Status WritePipeline::make_room_for_copies(const StepInput& input) {
  if (holds_copies_) return {};
  std::array<std::uint64_t, 1> any_copies{input.copied_bytes > 0 ? 1u : 0u};
  comm_->all_reduce_max(any_copies);
  if (any_copies[0] == 0) return {};
  holds_copies_ = true;
  for (auto& [key, plan] : plans_) plan.ready = false;
  earlier_plans_.clear();
  planner_.set_memory_budget(options_.memory_budget_bytes - most_copied_bytes());
  buffers_.release();
  return {};
}

/// If rank 0 allocates file offsets for the step, all ranks receive them.
Status WritePipeline::prepare_places(StepPlan& plan, const StepInput& input) {
  if (!plan.layouts->needs_places()) return {};
  const Stopwatch watch;
  std::string places;
  ESKER_RETURN_IF_ERROR(root_does(*comm_, "prepare", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(places, format_->prepare(input.step, input.time, plan.due));
    return {};
  }));
  ESKER_ASSIGN_OR_RETURN(places, share_text(*comm_, std::move(places), 0));
  const Status taken = all_do(*comm_, "prepare", [&] { return plan.layouts->take_places(places); });
  counters_.commit_s += watch.elapsed_s();
  return taken;
}

Status WritePipeline::move(StepPlan& plan, const StepInput& input, StepFiles& files) {
  const ExchangeBuffers::Parts parts = buffers_.parts(plan.exchange.plan);
  BufferStore store(plan, parts, files, counters_);
  if (plan.compressor) plan.compressor->begin_step(input.step);
  plan.part_sums.begin_step();
  if (plan.cells) {
    const StepTraffic::For purpose(traffic_, StepTraffic::Purpose::kMove);
    const Stopwatch watch;
    plan.cells->begin_step(*comm_, plan.patches);
    counters_.exchange_s += watch.elapsed_s();
  }
  const bool in_thread = may_store_in_thread(options_) && options_.store_thread.value_or(store_waits_) &&
                         (!plan.compressor || plan.compressor->is_alone());
  const double encoded_before = counters_.checksum_s + counters_.compress_s;
  ExchangeStats stats = counters_.begin_exchange();
  Status stored;
  {
    const StepTraffic::For purpose(traffic_, StepTraffic::Purpose::kMove);
    stored = run_exchange(plan.exchange.plan, plan.patches, buffers_, *plan.exchange.transport, stats, store,
                          in_thread, plan.cells.get(), plan.fill);
  }
  // If a rank shares its core, the elapsed time alone is not conclusive.
  store_waits_ = 4 * stats.store_cpu_s < stats.store_s && stats.store_sleeps >= stats.stores;
  counters_.writes += files.writes().count;
  counters_.largest_write_bytes = std::max(counters_.largest_write_bytes, files.writes().largest_bytes);
  stats.store_s.correct(encoded_before - counters_.checksum_s - counters_.compress_s);
  counters_.add(stats);
  if (plan.layouts->has_records()) {
    const StepTraffic::For purpose(traffic_, StepTraffic::Purpose::kRecords);
    plan.records.hand_over(*comm_, plan.exchange.plan);
  }
  if (plan.cells) {
    const StepTraffic::For purpose(traffic_, StepTraffic::Purpose::kRecords);
    plan.cells->heads().hand_over(*comm_);
  }
  counters_.peak_buffer_bytes = std::max(counters_.peak_buffer_bytes, buffers_.size_bytes());
  Stopwatch watch;
  if (stored.ok()) stored = guarded("end_step", [&] { return finish(plan, input, files); });
  counters_.store_s += watch.lap();
  Status agreed = agree(*comm_, stored);
  counters_.agree_s += watch.lap();
  return agreed;
}

Status WritePipeline::finish(const StepPlan& plan, const StepInput& input, StepFiles& files) {
  if (comm_->rank() == 0) {
    ESKER_ASSIGN_OR_RETURN(const auto small,
                           format_->small_files(input.step, plan.due, plan.kept, input.patches_of_meshes));
    for (const auto& [path, bytes] : small) {
      ESKER_RETURN_IF_ERROR(files.write_small(path, bytes));
    }
  }
  ESKER_RETURN_IF_ERROR(files.finish(plan.exchange.plan.owned,
                                     {plan.records, plan.cells ? &plan.cells->heads() : nullptr},
                                     options_.fsync == Fsync::kStep));
  if (options_.fsync == Fsync::kClose)
    written_paths_[input.step] = files.paths();  // including those that finish() opened
  return {};
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
    if (!all_are_here && mismatch.ok()) mismatch = std::move(status);
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
    release_alone();
    return comm_->ended();
  }
  buffers_.withdraw();
  const auto keep_first = [&](Status next) {
    if (status.ok()) status = std::move(next);
  };
  const bool ends_well = status.ok();
  if (has_leftovers_) keep_first(reclaim(is_found_ || options_.fsync != Fsync::kNone));
  // If there was no dataset, ranks that end normally create one without steps; it never replaces another one.
  if (defined_ && !created_ && ends_well) {
    keep_first(root_does(*comm_, "create", [&] {
      return format_->replaces_existing() ? Status() : format_->create(options_.fsync != Fsync::kNone);
    }));
  }
  if (options_.fsync == Fsync::kClose && created_) keep_first(sync_all());
  tell_tuner([&] { tuner_->remember(); });
  keep_first(write_report());
  keep_first(root_does(*comm_, "close", [&] { return format_->release(); }));
  return status;
}

/// Syncs block files on the ranks that wrote them, then the files that name them.
Status WritePipeline::sync_all() {
  const Stopwatch watch;
  Status status = all_do(*comm_, "close", [&]() -> Status {
    for (const auto& [step, paths] : written_paths_) {
      ESKER_RETURN_IF_ERROR(sync_files(*store_, paths, top_));
    }
    for (const int partition : led_) {
      ESKER_RETURN_IF_ERROR(sync_files(*store_, format_->indexes_of(partition), top_));
    }
    return {};
  });
  if (status.ok()) {
    status = root_does(*comm_, "close", [&]() -> Status {
      ESKER_RETURN_IF_ERROR(sync_files(*store_, format_->metadata_paths(), top_));
      return unsynced_.closed();
    });
  }
  counters_.store_s += watch.elapsed_s();
  return status;
}

}  // namespace esker
