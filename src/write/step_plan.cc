#include "write/step_plan.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "exchange/cut_to_budget.h"
#include "exchange/node_items.h"
#include "exchange/transports/make.h"
#include "plan/plan_memory.h"
#include "write/boxes.h"
#include "write/placement.h"

namespace esker {
namespace {

// With at least so many ranks of a node sending to one other node, `auto` lets leaders combine their
// messages.
constexpr int kManySenders = 9;

}  // namespace

Status check_phases(const Options& options, const StepLayouts& layouts) {
  ESKER_RETURN_IF_ERROR(check_aggregators(options));
  if (options.aggregate || !layouts.has_checksums()) return {};
  return error(Code::kInvalidArgument,
               "aggregate=false: a rank that holds only a part of a block cannot make its checksum; set "
               "checksums=false");
}

void take_patches(StepPlan& plan, const std::vector<PatchList>& patches) {
  const auto& columns = plan.layouts->columns;
  plan.patches.resize(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    plan.patches[c] = patches[columns[c].field];
    plan.patches[c].set_first_component(columns[c].first_component);
  }
}

Index memory_of(const StepPlan& plan) {
  Index bytes = memory_of(plan.plan);
  for (const PatchList& patches : plan.patches) bytes += patches.size_bytes();
  for (std::size_t f = 0; f < plan.boxes.size(); ++f) {
    const bool is_shared = f > 0 && plan.boxes[f].shares_memory_with(plan.boxes[f - 1]);
    if (!is_shared) bytes += plan.boxes[f].size_bytes();
  }
  return bytes;
}

void lay_out(StepPlan& plan, const Schema& schema, std::vector<bool> due, const FormatWriter& format,
             const StepHints& hints, const std::vector<PatchList>& patches) {
  plan.due = std::move(due);
  for (std::size_t f = 0; f < plan.due.size(); ++f) {
    if (!plan.due[f]) continue;
    plan.fields.push_back(static_cast<int>(f));
    const Field& field = schema.fields()[f];
    plan.data_bytes += schema.box_of(schema.grids()[field.grid]).num_samples() * field.sample_bytes();
  }
  plan.boxes = boxes_of(patches, plan.fields);
  plan.layouts = format.lay_out(plan.due, hints);
  for (const auto& layout : plan.layouts->layouts) plan.space.add(*layout);
  plan.files = plan.layouts->num_files();
  take_patches(plan, patches);
}

Status StepPlanner::make(StepPlan& plan, const Schema& schema, const std::string& context) {
  ESKER_ASSIGN_OR_RETURN(SharedBoxes boxes, share_boxes(*comm_, schema, plan.fields, plan.boxes, context));
  ESKER_RETURN_IF_ERROR(check_spread());
  PlannedFields fields{boxes.directory, {}};
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    fields.patches = patches_of_columns(plan.layouts->columns, boxes.of_field);
    return Status();
  }));
  limit_aggregators(plan);
  ESKER_RETURN_IF_ERROR(fit_to_budget(plan, fields));
  plan.ready = true;
  return {};
}

/// Of a file that ranks share, where the user does not say how many ranks aggregate. The same on all ranks.
void StepPlanner::limit_aggregators(const StepPlan& plan) {
  options_.aggregators = aggregators_;
  const int n_ranks = comm_->size();
  const int most = pattern_->most_writers;
  if (most == 0 || asked_aggregators(options_, n_ranks) > 0 || !plan.layouts->shares_a_file()) return;
  options_.aggregators = std::min(most, num_aggregators(options_, n_ranks, plan.space));
}

/// Where derived datatypes are wrong on some rank, all ranks put packed messages.
Status StepPlanner::check_spread() {
  if (options_.transport != Transport::kPutTypes || has_checked_spread_) return {};
  Status found;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    found = comm_->check_put_sources();
    return Status();
  }));
  cannot_spread_ = agree(*comm_, found);
  if (!cannot_spread_.ok()) options_.transport = Transport::kPutFence;
  has_checked_spread_ = true;
  return {};
}

// Where memory cannot be shared, all ranks send messages instead - if they may.
Status StepPlanner::fit_to_budget(StepPlan& plan, PlannedFields& fields) {
  if (shares_memory()) {
    ESKER_ASSIGN_OR_RETURN(const Placement placement, place(plan, fields));
    Status shared = cut_step(plan, fields, comm_->node_ranks(), placement);
    if (shared.ok() || options_.transport != Transport::kAuto) return shared;
    cannot_share_ = std::move(shared);
    buffers_->release_shared();
  }
  ESKER_ASSIGN_OR_RETURN(const Placement placement, place(plan, fields));
  return cut_step(plan, fields, {}, placement);
}

/// Whether ranks of a node fill each other's windows. The same on all ranks.
bool StepPlanner::shares_memory() const {
  const Transport asked = options_.transport;
  const bool wanted =
      asked == Transport::kAuto || asked == Transport::kShared || asked == Transport::kLeaders;
  return wanted && options_.aggregate && cannot_share_.ok() && comm_->size() > 1;
}

/// What has been used, or will be.
TransportReport StepPlanner::transport_report() const {
  if (!options_.aggregate || comm_->size() == 1) return {"none", ""};
  if (shares_memory()) return {combines_by_node_ ? "leaders" : "shared", ""};
  if (!cannot_share_.ok()) return {"messages", "not shared: " + cannot_share_.message()};
  if (!cannot_spread_.ok()) return {"put_fence", "not put_types: " + cannot_spread_.message()};
  for (const Options::Entry& entry : options_.entries()) {
    if (entry.name == "transport") return {entry.value, ""};
  }
  return {};
}

Result<Placement> StepPlanner::place(const StepPlan& plan, const PlannedFields& fields) {
  if (has_shares(*pattern_, *plan.layouts, plan.space)) return place_by_pattern(plan, fields);
  const AggregatorPlacement asked = options_.aggregator_placement;
  const int n_aggregators = num_aggregators(options_, comm_->size(), plan.space);
  const bool is_one_node = comm_->node().size() == comm_->size();
  if (asked == AggregatorPlacement::kAuto && is_one_node && shares_memory() && plan.space.num_pieces() > 0) {
    return place_near(plan, fields, n_aggregators);
  }
  Placement placement;
  if (asked != AggregatorPlacement::kRanks && !is_one_node && n_aggregators < comm_->size()) {
    ESKER_ASSIGN_OR_RETURN(placement.ranks, spread_over_nodes(*comm_, n_aggregators));
  }
  return placement;
}

/// Shares are the layouts' own: stripes, or slabs. Who has which one does not matter, but for the nodes.
Result<Placement> StepPlanner::place_by_pattern(const StepPlan& plan, const PlannedFields& fields) {
  const int n_aggregators = pattern_->num_aggregators(options_, comm_->size(), plan.space);
  ESKER_ASSIGN_OR_RETURN(Placement placement, make_bricks(plan, fields, n_aggregators));
  ESKER_ASSIGN_OR_RETURN(placement.ranks, spread_over_nodes(*comm_, n_aggregators));
  return placement;
}

/// Of each layout, like what the ranks hold.
Result<Placement> StepPlanner::make_bricks(const StepPlan& plan, const PlannedFields& fields,
                                           int n_aggregators) {
  Placement placement;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    placement.bricks = bricks_of_layouts(plan.space, fields.patches, n_aggregators);
    return Status();
  }));
  return placement;
}

/// Who holds the midst of a brick aggregates what lies there; of the layout that stores most, where they
/// differ.
Result<Placement> StepPlanner::place_near(const StepPlan& plan, const PlannedFields& fields,
                                          int n_aggregators) {
  ESKER_ASSIGN_OR_RETURN(Placement placement, make_bricks(plan, fields, n_aggregators));
  int largest = 0;
  for (int number = 1; number < plan.space.num_layouts(); ++number) {
    const Index bytes = plan.space.layout(number).stored_bytes();
    if (bytes > plan.space.layout(largest).stored_bytes()) largest = number;
  }
  const auto& columns = plan.layouts->columns;
  const auto column =
      std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.layout == largest; });
  const auto field = std::find(plan.fields.begin(), plan.fields.end(), column->field);
  const PatchBoxes& mine = plan.boxes[static_cast<std::size_t>(field - plan.fields.begin())];
  ESKER_ASSIGN_OR_RETURN(
      placement.ranks,
      place_aggregators(*comm_, placement.bricks[static_cast<std::size_t>(largest)], mine));
  return placement;
}

Status StepPlanner::cut_step(StepPlan& plan, PlannedFields& fields, std::span<const int> near,
                             const Placement& placement) {
  const auto make = [&](const StepCut& cut, const Relays& relays) -> Result<StepCut::Needs> {
    ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
      plan.plan = cut.plan_of(comm_->rank(), fields.patches, relays);
      plan.writers = cut.num_writers(fields.directory.num_holders());
      return Status();
    }));
    ESKER_RETURN_IF_ERROR(choose_transport(plan));
    ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
      if (plan.layouts->has_checksums()) plan.sums = PieceSums(plan.plan);
      return Status();
    }));
    StepCut::Needs needs = StepCut::needs_of(plan.plan);
    needs.plan_bytes = memory_of(plan);
    return needs;
  };
  const CutInputs inputs{plan.space, options_, near, placement};
  ESKER_RETURN_IF_ERROR(cut_to_budget(*comm_, inputs, fields.directory, fields.patches, std::cref(make)));
  combines_by_node_ = plan.plan.mail.used;
  add_window(plan.plan);
  return reserve(plan);
}

/// Messages are combined by node where the option says so, and with `auto` where many ranks of a node have
/// some.
Status StepPlanner::choose_transport(StepPlan& plan) {
  if (plan.plan.shares_windows && options_.transport != Transport::kShared) {
    const bool always = options_.transport == Transport::kLeaders;
    ESKER_RETURN_IF_ERROR(combine_by_node(*comm_, plan.plan, always ? 0 : kManySenders));
  }
  return all_do(*comm_, "plan", [&] {
    Transport used = options_.transport;
    if (plan.plan.mail.used) used = Transport::kLeaders;
    if (!options_.aggregate || comm_->size() == 1) used = Transport::kMessages;
    plan.transport = make_message_transport(used);
    return Status();
  });
}

/// One that is filled while the other is stored, where that is asked for and memory is left for it.
void StepPlanner::add_window(Plan& plan) const {
  const bool fits = plan.buffer_bytes() + plan.window_bytes + memory_of(plan) <= options_.memory_budget_bytes;
  const bool wanted = may_store_in_thread(options_) && options_.store_thread.value_or(false);
  if (wanted && fits && plan.rounds.size() > 1) plan.num_windows = 2;
}

/// Room for all that running the plan takes.
Status StepPlanner::reserve(StepPlan& plan) {
  // Not in one with what follows: that is collective on each node already.
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    comm_->reserve_transfers(plan.plan.num_sends, plan.plan.num_receives);
    return Status();
  }));
  if (plan.transport->is_one_sided()) {
    ESKER_RETURN_IF_ERROR(buffers_->reserve_exposed(*comm_, plan.plan));
  } else {
    ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] { return buffers_->reserve(*comm_, plan.plan); }));
  }
  ESKER_RETURN_IF_ERROR(plan.transport->prepare(*comm_, plan.plan));
  return all_do(*comm_, "plan", [&] {
    plan.transport->take(plan.plan, plan.patches, buffers_->parts(plan.plan));
    return Status();
  });
}

}  // namespace esker
