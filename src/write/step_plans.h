// StepPlans: the plans of a run's steps. A step asks for one plan, which all ranks have agreed on; a plan is
// made only if what the step stores, where its samples are, or the setting that tuning chose has changed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "comm/comm.h"
#include "tune/parallel/step_tuner.h"
#include "write/plan_cache.h"
#include "write/plan_maker.h"

namespace esker {

class StepPlans {
 public:
  /// All references must outlive this object. `tuner`: null: not tuned.
  StepPlans(Comm& comm, OpenDataset& dataset, RunRecord& record, Options options, const FilePattern& pattern,
            std::unique_ptr<StepTuner> tuner)
      : comm_(&comm),
        dataset_(&dataset),
        record_(&record),
        maker_(comm, dataset, record, cache_, std::move(options), pattern),
        tuner_(std::move(tuner)) {}
  StepPlans(const StepPlans&) = delete;
  StepPlans& operator=(const StepPlans&) = delete;

  /// What this rank knows of the plan of a step before the ranks agree.
  struct Offer {
    StepPlan* plan = nullptr;  ///< of a dense step; if it fits, it has taken the patches
    bool is_stale = true;      ///< it does not fit, or tuning chose another setting
    bool keeps = false;        ///< the step is sparse, by the rules of this rank
  };
  /// Everything that may need memory if the plan fits is done here. Local.
  Status offer(const StepInput& input, Offer& offer);
  /// The plan of the step. `offer` as before, with what is true on any rank. Collective; errors are those of
  /// all ranks.
  Result<StepPlan*> plan_for(const StepInput& input, const Offer& offer);

  /// A dense step was committed. Local.
  void observe(const StepPlan& plan, const StepInput& input, const StepCost& cost);
  /// A step failed. Local.
  void fail() {
    tell_tuner([&] { tuner_->fail(); });
  }
  /// The run ends. Local.
  void close();

  // All local.
  [[nodiscard]] PlanMaker& maker() { return maker_; }
  [[nodiscard]] const Options& options() const { return maker_.options(); }
  [[nodiscard]] ExchangeBuffers& buffers() { return maker_.buffers(); }
  /// Null: not tuned.
  [[nodiscard]] const StepTuner* tuner() const { return tuner_.get(); }

 private:
  [[nodiscard]] PlanCache::Key key_of(const StepInput& input, bool is_sparse) const {
    return {input.fields_stored(dataset_->schema()), is_sparse};
  }
  [[nodiscard]] bool take(const StepInput& input, StepPlan*& plan);
  Status make_dense(const StepInput& input, StepPlan*& plan);
  Status take_setting(const StepInput& input, StepPlan*& plan, bool& is_planned);
  [[nodiscard]] std::string workload_of(const StepInput& input);

  Status make_sparse(const StepInput& input, StepPlan*& plan);
  Result<KeptFields> find_regions(const StepInput& input, StepPlan*& plan);
  Status begin_sparse(StepPlan& plan, const StepInput& input);

  /// Calls `tell` on rank 0 if the run is tuned. Without memory the tuner does not hear it, and the run
  /// continues. Not a std::function, which itself may need memory.
  template <class Tell>
  void tell_tuner(const Tell& tell) {
    if (!tuner_ || comm_->rank() != 0) return;
    (void)guarded("tune", [&] {
      tell();
      return Status();
    });
  }

  Comm* comm_;
  OpenDataset* dataset_;
  RunRecord* record_;
  PlanCache cache_;
  PlanMaker maker_;
  std::unique_ptr<StepTuner> tuner_;
  std::string schema_hash_;  // as text; with a tuner
};

}  // namespace esker
