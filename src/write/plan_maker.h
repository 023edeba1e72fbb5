// PlanMaker: makes the plans of steps with the options in force, in the memory that they leave.
#pragma once

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "exchange/buffers.h"
#include "plan/file_pattern.h"
#include "plan/policy.h"
#include "write/open_dataset.h"
#include "write/plan_cache.h"
#include "write/run_record.h"
#include "write/step_input.h"
#include "write/step_plan.h"

namespace esker {

class PlanMaker {
 public:
  /// All references must outlive this object. `cache`: the plans that are made, and become stale.
  PlanMaker(Comm& comm, OpenDataset& dataset, RunRecord& record, PlanCache& cache, Options options,
            const FilePattern& pattern);
  PlanMaker(const PlanMaker&) = delete;
  PlanMaker& operator=(const PlanMaker&) = delete;

  /// Plans made from now on follow these options. Local, allocates nothing.
  void follow(Options&& options, const FilePattern& pattern, ExchangePolicy&& policy);

  /// Begins a plan: shares what its layouts depend on, except for the blocks of a sparse step. Collective.
  Result<SharedBoxes> begin(StepPlan& plan, const StepInput& input);
  /// Completes a plan that was begun. Collective.
  Status complete(StepPlan& plan, const StepInput& input, SharedBoxes& boxes);
  /// Before the dataset is created: an attempt at its first step does not depend on what the attempts before
  /// it chose. Plans refer to the parts that the choices shape. Local.
  Status forget_choices();
  /// Copies and buffers get half of the budget each, from the first step on in which a rank has copies.
  /// Collective.
  Status make_room_for_copies(const StepInput& input);

  /// Whether a step can be written by the plan, if it stores what was planned. Local.
  [[nodiscard]] bool fits(const StepPlan& plan, const StepInput& input) const;
  /// The patches of a step are those of its plan, which fits. Local.
  void take(StepPlan& plan, const StepInput& input);
  /// Whether the device has room for a step. A compressed step is expected to shrink as the one before.
  /// Local; rank 0.
  [[nodiscard]] Status check_space(const StepPlan& plan) const;

  // All local.
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const FilePattern& pattern() const { return pattern_; }
  [[nodiscard]] ExchangeBuffers& buffers() { return buffers_; }
  [[nodiscard]] StepPlanner& planner() { return planner_; }
  /// Bytes of compressed pieces that a step may keep for a thread that writes them: a few buffers, if the
  /// budget has room for them after the plan and all buffers; at least 0.
  [[nodiscard]] Index bytes_to_write_ahead(const StepPlan& plan) const;
  /// Bytes of patch copies that a step may hold.
  [[nodiscard]] Index most_copied_bytes() const { return options_.memory_budget_bytes / 2; }

 private:
  Comm* comm_;
  OpenDataset* dataset_;
  RunRecord* record_;
  PlanCache* cache_;
  Options options_;
  FilePattern pattern_;
  ExchangeBuffers buffers_;
  StepPlanner planner_;
  bool holds_copies_ = false;  // some rank has put copies, which share the memory budget with the buffers
};

}  // namespace esker
