// StepTuner: changes how the steps of a run are written, or how a reader reads, and compares their times, on
// all ranks together.
//
// Rank 0 alone looks at times and chooses; the other ranks follow it when the ranks plan. A step that changes
// nothing costs no message. Only steps without keep rules and meshes are tuned; others are written with the
// setting in force.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "esker/types/status.hpp"
#include "plan/plan.h"
#include "store/store.h"
#include "tune/adaptive_run.h"
#include "tune/step_model.h"
#include "tune/tuning_record.h"

namespace esker {

class StepTuner {
 public:
  /// What is tuned. The model of step times is one of writing.
  enum class Purpose { kWriting, kReading };

  /// Null with tune=off. Rank 0 reads the report that tune=replay names from `store`. Collective; errors are
  /// those of all ranks.
  /// With tune=auto and tune_cache=true, what earlier runs found is in a file of `store`, see
  /// knowledge_path(), and next to it a model of step times, unless tune_model names another one.
  static Result<std::unique_ptr<StepTuner>> make(Comm& comm, std::shared_ptr<Store> store,
                                                 const Options& options, Purpose purpose = Purpose::kWriting);

  /// Chooses the setting of a step. Whether another one is in force, so that the ranks have to plan; always
  /// false on other ranks than 0. Local.
  bool choose(Index step, const std::string& workload);
  /// The options with the setting that rank 0 chose, on all ranks; nothing if it is in force. Collective.
  Result<std::optional<Options>> take(Comm& comm);
  /// The setting of the options that take() returned last; the same on all ranks.
  [[nodiscard]] const Setting& in_force() const { return *in_force_; }
  /// The options that take() returned could not be put in force on all ranks: take() returns them again.
  /// Called on all ranks. Local.
  void forget() { in_force_.reset(); }
  /// Judges the plan that was made with these options, in `plan_s` seconds without reserving memory.
  /// `planned` is the same on all ranks; it is returned unless `again`: the ranks take another setting and
  /// plan again. Collective.
  Status judge(Comm& comm, const Status& planned, const Plan& plan, double plan_s, bool& again);
  /// A step was committed. Rank 0.
  void observe(const TunedStep& step);
  /// The step failed. Rank 0.
  void fail();
  /// Remembers what was found since the last call, for later runs; nothing before the search has settled.
  /// Rank 0.
  void remember();
  /// Collective; the same on all ranks.
  Result<TuningRecord> record(Comm& comm) const;

 private:
  StepTuner(const Comm& comm, std::shared_ptr<Store> store, const Options& options, Purpose purpose,
            std::string knowledge, std::vector<TuningRecord::Change> replayed);
  void read_model();
  void recall_earlier_run(const std::string& workload);
  [[nodiscard]] std::string key_of(const std::string& workload) const;
  [[nodiscard]] bool is_replaying() const { return !adaptive_; }

  std::shared_ptr<Store> store_;
  Options configured_;
  Purpose purpose_;
  std::optional<std::pair<std::string, Setting>> remembered_;  // last, with its key
  std::string knowledge_;                                      // path; empty: nothing is remembered
  int n_ranks_;
  int num_observed_ = 0;
  std::vector<std::string> warnings_;
  std::optional<StepModel> model_;       // rank 0
  std::optional<AdaptiveRun> adaptive_;  // on all ranks; used on rank 0
  std::vector<TuningRecord::Change> replayed_;
  Setting chosen_;
  std::optional<Setting> in_force_ = Setting();  // the same on all ranks; nothing: not known
};

}  // namespace esker
