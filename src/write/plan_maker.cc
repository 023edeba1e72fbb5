#include "write/plan_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/counting.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "model/fill_value.h"
#include "plan/plan_memory.h"
#include "write/boxes.h"

namespace esker {

PlanMaker::PlanMaker(Comm& comm, OpenDataset& dataset, RunRecord& record, PlanCache& cache, Options options,
                     const FilePattern& pattern)
    : comm_(&comm),
      dataset_(&dataset),
      record_(&record),
      cache_(&cache),
      options_(std::move(options)),
      pattern_(pattern),
      planner_(comm, options_, pattern_, buffers_) {}

void PlanMaker::follow(Options&& options, const FilePattern& pattern, ExchangePolicy&& policy) {
  pattern_ = pattern;
  planner_.follow(options, std::move(policy));
  options_ = std::move(options);
  buffers_.withdraw();  // another transport may need other epochs
}

Status PlanMaker::forget_choices() {
  if (dataset_->is_created()) return {};
  cache_->forget();
  return dataset_->files().format->reset_block_bits();
}

Result<SharedBoxes> PlanMaker::begin(StepPlan& plan, const StepInput& input) {
  FormatWriter& format = *dataset_->files().format;
  const Schema& schema = input.stored_schema(dataset_->schema());
  std::string context;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    context = fmt::format("step {}", counted(input.step));
    plan = StepPlan();
    take_fields(plan, dataset_->schema(), input.fields_stored(dataset_->schema()), input.patches);
    return forget_choices();
  }));
  if (!dataset_->is_created() && format.needs_boxes()) {
    ESKER_ASSIGN_OR_RETURN(const auto extents, regular_extents(*comm_, schema, input.patches));
    ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] { return format.take_boxes(extents); }));
  }
  ESKER_ASSIGN_OR_RETURN(plan.dense_axes, common_dense_axes(*comm_, input.patches));
  return share_boxes(*comm_, schema, plan.fields, plan.boxes, context, options_.partial);
}

Status PlanMaker::complete(StepPlan& plan, const StepInput& input, SharedBoxes& boxes) {
  const Schema& schema = input.stored_schema(dataset_->schema());
  plan.ready = false;
  const auto lay_out_step = [&]() -> Status {
    plan.exchange = {};
    plan.cells.reset();
    plan.compressor.reset();
    const FormatWriter& format = *dataset_->files().format;
    plan.means = format.averages_levels()
                     ? std::make_unique<MeanLevels>(dataset_->schema(), format.num_coarse_levels(), plan.due)
                     : nullptr;
    StepHints hints = pattern_.hints();
    hints.step = input.step;
    hints.dense_axes = plan.dense_axes;
    lay_out(plan, format, hints, input.patches);
    plan.mesh_list_bytes = size_bytes(input.patches_of_meshes);
    plan.fill.clear();
    const bool may_have_gaps = options_.partial || has_meshes(dataset_->schema());
    for (const auto& column : plan.layouts->columns) {
      if (!may_have_gaps) break;
      plan.fill.push_back(fill_value(schema.fields()[static_cast<std::size_t>(column.field)]));
    }
    ESKER_RETURN_IF_ERROR(check_phases(options_, *plan.layouts));
    return comm_->rank() == 0 ? check_space(plan) : Status();
  };
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", lay_out_step));
  Status planned = planner_.make(plan, schema, boxes);
  if (planned.code() == Code::kOutOfMemory && holds_copies_) {
    planned = planned.with_context("copies of buffered puts leave half of memory_budget");
  }
  ESKER_RETURN_IF_ERROR(planned);
  RankCounters& counters = record_->counters();
  ++counters.plans;
  counters.plan_bytes = size_bytes(input.patches_of_meshes) + cache_->size_bytes() + planner_.common_bytes();
  return {};
}

Status PlanMaker::make_room_for_copies(const StepInput& input) {
  if (holds_copies_) return {};
  std::array<std::uint64_t, 1> any_copies{input.copied_bytes > 0 ? 1u : 0u};
  comm_->all_reduce_max(any_copies);
  if (any_copies[0] == 0) return {};
  holds_copies_ = true;
  cache_->forget();
  planner_.set_memory_budget(options_.memory_budget_bytes - most_copied_bytes());
  buffers_.release();
  return {};
}

Index PlanMaker::bytes_to_write_ahead(const StepPlan& plan) const {
  constexpr Index kBuffers = 4;
  const Index budget_bytes = options_.memory_budget_bytes - (holds_copies_ ? most_copied_bytes() : 0);
  const Index left_bytes =
      budget_bytes - buffers_.size_bytes() - memory_of(plan) - planner_.common_bytes() - plan.mesh_list_bytes;
  return std::clamp<Index>(left_bytes, 0, kBuffers * with_room_to_align(plan.exchange.plan.compressed_bytes));
}

bool PlanMaker::fits(const StepPlan& plan, const StepInput& input) const {
  const bool needs_room = input.copied_bytes > 0 && !holds_copies_;
  return !needs_room && plan.ready && buffers_.fit(plan.exchange.plan) &&
         (!plan.exchange.transport->is_one_sided() || buffers_.is_exposed()) &&
         (!plan.means || plan.means->has_room()) && plan.layouts->fits(input.step);
}

void PlanMaker::take(StepPlan& plan, const StepInput& input) {
  take_patches(plan, input.patches);
  plan.exchange.transport->take(plan.exchange.plan, plan.patches, buffers_.parts(plan.exchange.plan));
}

Status PlanMaker::check_space(const StepPlan& plan) const {
  const auto raw_bytes = static_cast<double>(plan.space.stored_bytes());
  const double part = plan.layouts->compresses() ? record_->stored_over_raw() : 1;
  return dataset_->check_space(static_cast<Index>(part * raw_bytes));
}

}  // namespace esker
