#include "write/step_plan.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/count_processors.h"
#include "plan/plan_memory.h"
#include "write/boxes.h"

namespace esker {
namespace {

/// Lists of this rank that a plan keeps next to its segments.
Index bytes_of_lists(const StepPlan& plan) {
  Index bytes = plan.layouts ? plan.layouts->list_bytes() : 0;
  if (plan.means) bytes += plan.means->list_bytes();
  for (const PatchList& patches : plan.patches) bytes += patches.size_bytes();
  for (std::size_t f = 0; f < plan.boxes.size(); ++f) {
    const bool is_shared = f > 0 && plan.boxes[f].shares_memory_with(plan.boxes[f - 1]);
    if (!is_shared) bytes += plan.boxes[f].size_bytes();
  }
  for (const std::vector<int>& fields : plan.fields_of_layouts) {
    bytes += static_cast<Index>(sizeof(fields) + fields.capacity() * sizeof(int));
  }
  return bytes;
}

bool keeps_boxes_whole(const StepLayouts& layouts) {
  return std::ranges::all_of(layouts.layouts, [](const auto& layout) { return layout->keeps_boxes_whole(); });
}

/// The memory of means instead of the samples that they replace; without memory, nothing.
void take_means(StepPlan& plan) {
  const auto& columns = plan.layouts->columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!plan.means->makes(columns[c].field)) continue;
    plan.patches[c] = plan.means->has_room() ? plan.means->patches_of(columns[c].field) : PatchList();
    plan.patches[c].set_first_component(columns[c].first_component);
  }
}

}  // namespace

void take_patches(StepPlan& plan, const std::vector<PatchList>& patches) {
  const auto& columns = plan.layouts->columns;
  plan.patches.resize(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    plan.patches[c] = patches[columns[c].field];
    plan.patches[c].set_first_component(columns[c].first_component);
  }
  if (!plan.means) return;
  plan.means->take(patches);
  take_means(plan);
}

Index memory_of(const StepPlan& plan) {
  Index scratch_bytes = plan.compressor ? plan.compressor->size_bytes() : 0;
  if (plan.cells) scratch_bytes += plan.cells->size_bytes() + plan.layouts->encode_scratch_bytes();
  const Index shared_bytes = plan.shared ? size_bytes(*plan.shared) : 0;
  return memory_of(plan.exchange.plan) + bytes_of_lists(plan) + shared_bytes + scratch_bytes +
         plan.raw_pieces.size_bytes();
}

void take_fields(StepPlan& plan, const Schema& schema, const std::vector<bool>& due,
                 const std::vector<PatchList>& patches) {
  plan.due = due;
  plan.fields.clear();
  plan.data_bytes = 0;
  for (std::size_t f = 0; f < plan.due.size(); ++f) {
    if (!plan.due[f]) continue;
    plan.fields.push_back(static_cast<int>(f));
    if (f >= schema.fields().size()) continue;  // made from others
    const Field& field = schema.fields()[f];
    const Grid& grid = schema.grids()[field.grid];
    if (grid.mesh) continue;  // its size is that of its patches
    plan.data_bytes += schema.box_of(grid).num_samples() * field.sample_bytes();
  }
  plan.boxes = boxes_of(patches, plan.fields);
}

namespace {

std::vector<std::vector<int>> fields_of_layouts(const StepLayouts& layouts) {
  std::vector<std::vector<int>> fields(layouts.layouts.size());
  for (const auto& column : layouts.columns) {
    auto& of_layout = fields[static_cast<std::size_t>(column.layout)];
    const auto at = static_cast<std::size_t>(column.layout_field);
    if (of_layout.size() <= at) of_layout.resize(at + 1, -1);
    of_layout[at] = column.field;
  }
  return fields;
}

}  // namespace

void lay_out(StepPlan& plan, const FormatWriter& format, const StepHints& hints,
             const std::vector<PatchList>& patches) {
  plan.layouts =
      plan.kept.empty() ? format.lay_out(plan.due, hints) : format.lay_out_sparse(plan.due, hints, plan.kept);
  plan.space = PieceSpace();
  for (std::size_t n = 0; n < plan.layouts->layouts.size(); ++n) {
    plan.space.add(*plan.layouts->layouts[n], plan.layouts->joined_file(static_cast<int>(n)));
  }
  plan.fields_of_layouts = fields_of_layouts(*plan.layouts);
  plan.files = plan.layouts->num_files();
  take_patches(plan, patches);
}

namespace {

/// Raises largest[field of the schema] to the errors of the compressed pieces that this rank stored.
/// Allocates nothing.
void add_compressed_errors(const StepPlan& plan, std::vector<double>& largest) {
  for (const Round& round : plan.exchange.plan.rounds) {
    plan.space.for_each_piece(
        round.content.first_piece, round.content.last_piece, [&](int layout, const Piece& piece) {
          const PieceRecord& record = plan.records.at(plan.space.first_ordinal(layout) + piece.ordinal);
          const auto& fields = plan.fields_of_layouts[static_cast<std::size_t>(layout)];
          double& of_field = largest[static_cast<std::size_t>(fields[static_cast<std::size_t>(piece.field)])];
          of_field = std::max(of_field, static_cast<double>(record.max_error));
        });
  }
}

}  // namespace

std::span<const double> infinite_fields(const StepPlan& plan) {
  return std::span(plan.max_errors).subspan(plan.max_errors.size() / 2);
}

void find_max_errors(Comm& comm, StepPlan& plan) {
  if (!plan.compressor && !plan.cells) return;
  std::fill(plan.max_errors.begin(), plan.max_errors.end(), 0);
  if (plan.compressor) add_compressed_errors(plan, plan.max_errors);
  if (plan.cells) {
    plan.cells->add_largest_errors(plan.max_errors);
    plan.cells->add_infinite(std::span(plan.max_errors).subspan(plan.max_errors.size() / 2));
  }
  comm.all_reduce_max(std::span<double>(plan.max_errors));
}

std::vector<std::span<const PieceRecord>> records_of_joined(const StepPlan& plan) {
  std::vector<std::span<const PieceRecord>> records;
  for (int layout = 0; layout < plan.space.num_layouts(); ++layout) {
    if (!plan.space.joins(layout)) continue;
    const Index first = plan.space.first_ordinal(layout);
    records.resize(static_cast<std::size_t>(layout) + 1);
    records.back() = plan.records.of(first, first + plan.space.layout(layout).num_pieces());
  }
  return records;
}

void StepPlanner::follow(const Options& options, ExchangePolicy policy) {
  policy.memory_budget_bytes = policy_.memory_budget_bytes;
  policy_ = std::move(policy);
  threads_ = options.compress_threads;
  may_write_alone_ = !options.aggregate && !options.partial && policy_.aggregators == 0 &&
                     options.transport == Transport::kAuto && options.restructure == Restructure();
}

/// The number of threads that compress on each rank: by default one per processor. Collective.
void StepPlanner::choose_threads() {
  if (threads_ > 0) return;
  threads_ = static_cast<int>(std::max<Index>(1, count_processors(*comm_) / comm_->size()));
}

/// Cells are made while they are packed: derived datatypes cannot describe them. Collective.
Status StepPlanner::plan_cells(StepPlan& plan, const Schema& schema, SharedBoxes& boxes,
                               ExchangePolicy& policy) {
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    plan.cells = std::make_unique<CellCoding>(*plan.layouts, plan.space, schema);
    if (!policy.packs) use_packed_messages(policy, "stored_bits needs packed messages");
    return Status();
  }));
  return plan.cells->plan_halo(*comm_, boxes.directory, boxes.of_field);
}

/// Collective.
Status StepPlanner::connect_heads(StepPlan& plan, const std::vector<FieldPatches>& fields) {
  Prepared& exchange = plan.exchange;
  ESKER_RETURN_IF_ERROR(
      plan.cells->connect(*comm_, *plan.layouts, *exchange.ownership, exchange.plan, fields));
  exchange.ownership.reset();
  return {};
}

/// The memory of earlier plans is kept if it fits in the budget with this plan.
void StepPlanner::make_room_for_means(StepPlan& plan) {
  const Index left = policy_.memory_budget_bytes - buffers_->size_bytes() - memory_of(plan);
  level_memory_.reserve(plan.means->memory_bytes(), left);
  plan.means->use(level_memory_);
  take_means(plan);
}

namespace {

/// What the averages need, if the plan does not fit.
Status with_bytes_of_means(Status planned, const StepPlan& plan) {
  if (planned.code() != Code::kOutOfMemory || !plan.means) return planned;
  return planned.with_context(
      fmt::format("level_values=mean: {} bytes are for averages", plan.means->most_memory_bytes()));
}

/// Memory of this rank that counts in the budget, in addition to that of the exchange.
Index held_bytes(const StepPlan& plan, int threads) {
  return bytes_of_lists(plan) + plan.mesh_list_bytes + (plan.shared ? size_bytes(*plan.shared) : 0) +
         PieceCompressor::size_bytes(*plan.layouts, threads) + plan.layouts->encode_scratch_bytes() +
         (plan.cells ? plan.cells->size_bytes() : 0) + (plan.means ? plan.means->memory_bytes() : 0);
}

}  // namespace

Status StepPlanner::make(StepPlan& plan, const Schema& schema, SharedBoxes& boxes) {
  std::vector<FieldPatches> fields;
  ExchangePolicy policy;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    policy = policy_;
    fields = patches_of_columns(plan.layouts->columns, boxes.of_field);
    if (may_write_alone_ && comm_->node().size() == comm_->size() && keeps_boxes_whole(*plan.layouts)) {
      policy.aggregate = false;
    }
    plan.aggregates = policy.aggregate;
    follow_pattern(*pattern_, *plan.layouts, plan.space, comm_->size(), policy);
    if (!policy.packs && has_meshes(schema)) use_packed_messages(policy, "a mesh needs packed messages");
    return Status();
  }));
  if (plan.layouts->compresses()) {
    choose_threads();
    policy.second_buffer = false;  // a thread writes from copies of what is compressed
  }
  policy.compress_threads = std::max(1, threads_);
  if (plan.layouts->has_heads()) ESKER_RETURN_IF_ERROR(plan_cells(plan, schema, boxes, policy));
  if (plan.means) ESKER_RETURN_IF_ERROR(plan.means->plan_halo(*comm_, boxes.directory, boxes.of_field));
  const ExchangeInputs inputs{
      plan.space,           boxes.directory, fields, Direction::kToFiles, held_bytes(plan, threads_),
      plan.cells != nullptr};
  ESKER_RETURN_IF_ERROR(with_bytes_of_means(prepare(*comm_, inputs, policy, *buffers_, plan.exchange), plan));
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    plan.records = plan.layouts->has_records() ? PieceRecords(plan.exchange.plan) : PieceRecords();
    plan.part_sums =
        plan.layouts->sums_parts() ? PartSums(*plan.layouts, plan.space, plan.exchange.plan) : PartSums();
    plan.raw_pieces =
        plan.layouts->compresses() ? RawPieces(*plan.layouts, plan.space, plan.exchange.plan) : RawPieces();
    plan.max_errors.resize(2 * schema.fields().size());
    if (plan.layouts->compresses()) {
      plan.compressor = std::make_unique<PieceCompressor>(*plan.layouts, plan.space, threads_);
    }
    if (plan.means) make_room_for_means(plan);
    plan.exchange.transport->take(plan.exchange.plan, plan.patches, buffers_->parts(plan.exchange.plan));
    use(plan);
    return Status();
  }));
  if (plan.compressor) {
    ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
      plan.compressor->connect(*comm_, plan.exchange.plan);
      return Status();
    }));
  }
  if (plan.cells) ESKER_RETURN_IF_ERROR(connect_heads(plan, fields));
  // On all ranks, or on none. What only steps with cells, or meshes, need is not kept for other steps.
  if ((!plan.cells && !has_meshes(schema)) || policy_.packs) keep_fallback(std::move(policy), policy_);
  plan.ready = true;
  return {};
}

}  // namespace esker
