#include "write/step_cut.h"

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "write/boxes.h"

namespace esker {
namespace {

constexpr Index kMaxPartBytes = Index{1} << 30;

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

StepCut::StepCut(const PieceSpace& space, const Options& options, int n_ranks)
    : space_(space),
      options_(options),
      n_ranks_(n_ranks),
      n_aggregators_(num_aggregators(options, n_ranks, space.stored_bytes())),
      least_bytes_(std::max<Index>(1, space.largest_piece_bytes())) {
  const Index largest_share =
      2 * div_up(space.stored_bytes(), n_aggregators_);  // cuts move towards ends of files
  window_bytes_ = std::clamp(std::min(options.memory_budget_bytes / 3, largest_share), least_bytes_,
                             std::max(least_bytes_, kMaxPartBytes / 2));
}

Plan StepCut::plan_of(int rank, const std::vector<FieldPatches>& fields) const {
  const Ownership ownership(space_, n_ranks_, n_aggregators_, window_bytes_);
  return options_.aggregate ? make_plan(space_, ownership, fields, rank)
                            : make_one_phase_plan(space_, ownership, fields, rank, window_bytes_);
}

int StepCut::num_writers(const std::vector<FieldPatches>& fields) const {
  return options_.aggregate ? Ownership(space_, n_ranks_, n_aggregators_, window_bytes_).num_writers()
                            : num_holders(fields);
}

StepCut::Needs StepCut::needs_of(const Plan& plan) {
  return {plan.buffer_bytes(), std::max({plan.send_bytes, plan.receive_bytes, plan.window_bytes})};
}

bool StepCut::fits(const Needs& needs) const {
  return needs.buffer_bytes <= options_.memory_budget_bytes && needs.largest_part_bytes <= kMaxPartBytes;
}

bool StepCut::shrink() {
  if (window_bytes_ == least_bytes_) return false;
  window_bytes_ = std::max(least_bytes_, window_bytes_ / 2);
  return true;
}

Status StepCut::does_not_fit(const Needs& needs) const {
  return error(
      Code::kOutOfMemory,
      "memory_budget {} bytes: one block at a time needs {} bytes on some rank; set memory_budget to "
      "at least that, or bits_per_block lower",
      options_.memory_budget_bytes, needs.buffer_bytes);
}

}  // namespace esker
