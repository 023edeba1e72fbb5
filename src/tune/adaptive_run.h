// AdaptiveRun: chooses the setting of each step of a run from the times of the steps before. Pure and
// deterministic: times are given to it.
//
//   AdaptiveRun run(options, seed);
//   const Setting& setting = run.choose(step, workload);    // before a step
//   if (!run.accepts_plan(moved_bytes, plan_s)) ...         // after planning it: setting is run.choose() now
//   run.observe({step, workload, step_s, plan_s, store_share, facts});   // or run.fail() if the step failed
//
// 1. A few steps with the default are measured. The first step of a writer does not count.
// 2. The most promising setting is tried for one step, and for a second one while it may still be better.
//    Then a step is written with the best setting so far. All steps together say which one that is, see
//    Effects.
// 3. The search settles after a few settings, or when no affordable one promises to be faster. The best one
//    is kept if it is faster than the default with a confidence of 95 %, which may take a few more steps.
// 4. What a step may cost at most, with its plan and half as much again by a burst of other work, has to fit
//    into the rest of a budget, which grows with the run. A run that settled because other settings were too
//    expensive goes on when they are not. Plans of the last settings are kept, so that the way back is free.
// 5. A setting that turns out to be slower than the default was is given up for the default. So is one with
//    which a step fails; then the search is over, whatever its budget.
// 6. If the times of steps change for long, or the fields that are written, the search begins again, at most
//    once in kBudgetSteps steps.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "tune/parameter_space.h"
#include "tune/search.h"
#include "tune/tuning_record.h"

namespace esker {

/// A step that was written.
struct TunedStep {
  Index step = 0;
  std::string workload;    ///< steps are compared with others of the same workload
  double step_s = 0;       ///< without planning, on the slowest rank
  double plan_s = 0;       ///< on the slowest rank; 0: it needed no plan
  double store_share = 0;  ///< the part of `step_s` spent on storing, on the rank that stored longest
  TuningFacts facts;
  /// Of `plan_s`, for memory that later plans reuse. It is spent, but not predicted: few settings need new
  /// memory, and which ones is known when it is reserved.
  double reserve_s = 0;
};

class AdaptiveRun {
 public:
  static constexpr int kMostProbes = 5;         ///< settings that are tried
  static constexpr int kStepsPerProbe = 2;      ///< at most
  static constexpr int kMostProposals = 10;     ///< with those whose plans are too bad to be tried
  static constexpr double kBudget = 0.85;       ///< steps that a search may cost at least,
  static constexpr double kBudgetShare = 0.04;  ///< or this part of the steps since it began
  static constexpr Index kBudgetSteps = 20;     ///< a search begins at most once in so many steps

  AdaptiveRun(Options configured, std::uint64_t seed) : configured_(std::move(configured)), seed_(seed) {}

  /// An earlier run settled on this setting: the default means that a search is not worth its cost.
  void recall(const Setting& setting) { recalled_ = setting; }

  /// Asks a model which settings are worth trying: the time of a step of `facts` with a setting over that
  /// with the default.
  using Model = std::function<double(const TuningFacts& facts, const Setting& setting)>;
  void consult(Model model) { model_ = std::move(model); }

  /// The setting for a step; the same until the step is observed or fails.
  const Setting& choose(Index step, const std::string& workload);
  /// What choose() returned last, or returns after a plan was not accepted.
  [[nodiscard]] const Setting& chosen() const { return chosen_ ? *chosen_ : incumbent_; }
  /// Judges the plan of the chosen setting. `moved_bytes`: of the rank that moves most, a measure of its
  /// work. `plan_s`: without reserving memory. False: the plan is too bad, and choose() now returns another
  /// setting.
  bool accepts_plan(double moved_bytes, double plan_s);
  /// The chosen setting has no plan: choose() now returns another one. False: it is not a setting on trial.
  bool rejects_setting();
  void observe(const TunedStep& step);
  /// The step failed. A setting on trial is given up; the next step is written with the default.
  void fail();

  [[nodiscard]] const TuningRecord& record() const { return record_; }
  /// Whether the search is over.
  [[nodiscard]] bool has_settled() const { return now_.has_settled; }
  /// Whether a later run can use what this one settled on: it did not end in a failure or a return.
  [[nodiscard]] bool is_worth_remembering() const { return now_.has_settled && !now_.gave_up; }
  /// That of the search; empty: none has begun.
  [[nodiscard]] const std::string& workload() const { return workload_; }

 private:
  [[nodiscard]] double default_s() const { return now_.default_s; }
  [[nodiscard]] double plan_steps() const { return default_s() > 0 ? plan_s_ / default_s() : 0; }
  [[nodiscard]] bool on_trial() const { return candidate_.has_value() && chosen_ == candidate_; }
  /// Settings that this search tried, and those that it proposed.
  [[nodiscard]] int num_probes() const;
  [[nodiscard]] int num_proposals() const {
    return static_cast<int>(record_.probes.size() - now_.first_probe);
  }
  Setting decide(const std::string& workload);
  Setting begin_probe();
  [[nodiscard]] bool may_resume() const;
  [[nodiscard]] std::string why_rest() const;
  /// What a search may have cost so far, in steps with the default.
  [[nodiscard]] double budget_steps() const;
  /// What the search has cost at most, less what it has gained.
  [[nodiscard]] double spent_steps() const { return now_.plans_steps + now_.search->lost_steps(); }
  /// How many times as long as with the default the next step may take.
  [[nodiscard]] double affordable_ratio() const;
  [[nodiscard]] std::string why_settle() const;
  void begin_search(const TunedStep& step);
  void observe_candidate(double step_s);
  [[nodiscard]] bool is_worth_a_step(const Setting& setting) const;
  void observe_default();
  void observe_incumbent(double step_s);
  void reject(const std::string& verdict);
  void return_to_default(const std::string& why);
  void settle(const std::string& why);
  void watch_for_changes(const TunedStep& step);

  /// What belongs to one search.
  struct State {
    std::optional<Search> search;
    std::size_t first_probe = 0;  // of the record's
    Index began = 0;              // as counted in num_steps_
    double default_s = 0;         // a typical step; 0: not known
    int num_defaults = 0, num_unproven = 0;
    double plans_steps = 0;  // what plans took
    double debt_steps = 0;   // of the incumbent, against the default
    double settled_s = 0;    // a typical step when the search settled
    bool has_settled = false;
    bool waits_for_budget = false;  // it has settled, but other settings promise more
    bool gave_up = false;           // returned to the default
  };

  Options configured_;
  std::uint64_t seed_;
  std::optional<Setting> recalled_;
  Model model_;  // empty: none
  std::string workload_;
  TuningFacts facts_;  // with the default
  State now_;
  std::optional<Setting> chosen_, candidate_;
  Setting incumbent_, written_;  // `written_`: in force in the last step
  double plan_s_ = 0;            // of the last plan, without reserving memory
  double store_share_ = 0;
  std::map<Setting, double> moved_bytes_;  // by their plans
  Index step_ = 0, num_steps_ = 0, last_tuned_ = 0;
  bool has_rested_ = true;     // a step was written with the incumbent since the last probe
  bool is_tuned_ = true;       // the chosen step has the workload of the search
  bool plans_for_it_ = false;  // the search made plans in this step
  TuningRecord record_;
};

}  // namespace esker
