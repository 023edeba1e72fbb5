#include "write/step_cut.h"

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "write/boxes.h"

namespace esker {
namespace {

constexpr Index kMaxPartBytes = Index{1} << 30;
// A window that is filled and stored while it is in a core's cache, and as many as let neighbours work ahead.
constexpr Index kSharedWindowBytes = Index{1} << 20;
constexpr int kSharedSlots = 8;

/// Ranks that collect and store; with one phase they only complete files.
int num_aggregators(const Options& options, int n_ranks, Index stored_bytes) {
  if (!options.aggregate) return n_ranks;
  if (options.aggregators > 0) return std::min(options.aggregators, n_ranks);
  return choose_aggregators(n_ranks, stored_bytes);
}

}  // namespace

Status check_phases(const Options& options, const StepLayouts& layouts) {
  if (options.aggregate || !layouts.has_checksums()) return {};
  return error(Code::kInvalidArgument,
               "aggregate=false: a rank that holds only a part of a block cannot make its checksum; set "
               "checksums=false");
}

StepCut::StepCut(const PieceSpace& space, const Options& options, int n_ranks, std::span<const int> near)
    : space_(space),
      options_(options),
      n_ranks_(n_ranks),
      near_(near),
      num_slots_(near.empty() ? 1 : kSharedSlots),
      n_aggregators_(num_aggregators(options, n_ranks, space.stored_bytes())),
      least_bytes_(std::max<Index>(1, space.largest_piece_bytes())) {
  const Index largest_share =
      2 * div_up(space.stored_bytes(), n_aggregators_);  // cuts move towards ends of files
  const Index wanted = options.window_bytes > 0 ? options.window_bytes
                       : near.empty()           ? options.memory_budget_bytes / 3
                                                : kSharedWindowBytes;
  window_bytes_ =
      std::clamp(std::min(wanted, largest_share), least_bytes_, std::max(least_bytes_, kMaxPartBytes / 2));
}

Plan StepCut::plan_of(int rank, const std::vector<FieldPatches>& fields) const {
  const Ownership ownership(space_, n_ranks_, n_aggregators_, window_bytes_,
                            near_.empty() ? WindowOrder::kFile : WindowOrder::kScattered);
  if (!options_.aggregate) return make_one_phase_plan(space_, ownership, fields, rank, window_bytes_);
  const Relays relays(space_, ownership, fields, n_ranks_, {options_.restructure, options_.max_fan_in});
  Plan plan = make_plan(space_, ownership, fields, relays, rank);
  if (!near_.empty()) place_near(plan, near_, num_slots_);
  return plan;
}

int StepCut::num_writers(const std::vector<FieldPatches>& fields) const {
  return options_.aggregate ? Ownership(space_, n_ranks_, n_aggregators_, window_bytes_).num_writers()
                            : num_holders(fields, n_ranks_);
}

StepCut::Needs StepCut::needs_of(const Plan& plan) {
  return {plan.buffer_bytes(), std::max({plan.send_bytes, plan.receive_bytes, plan.window_bytes})};
}

bool StepCut::fits(const Needs& needs) const {
  return needs.buffer_bytes <= options_.memory_budget_bytes && needs.largest_part_bytes <= kMaxPartBytes;
}

bool StepCut::shrink() {
  if (window_bytes_ > least_bytes_) {
    window_bytes_ = std::max(least_bytes_, window_bytes_ / 2);
    return true;
  }
  num_slots_ /= 2;
  return num_slots_ > 0;
}

Status StepCut::does_not_fit(const Needs& needs) const {
  return error(
      Code::kOutOfMemory,
      "memory_budget {} bytes: one block at a time needs {} bytes on some rank; set memory_budget to "
      "at least that, or bits_per_block lower",
      options_.memory_budget_bytes, needs.buffer_bytes);
}

}  // namespace esker
