#include "tune/adaptive_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace esker {
namespace {

constexpr std::size_t kFewestReferences = 3;
/// A plan with so much more work is not tried.
constexpr double kMuchWorse = 1.15;
/// What is left of the budget when a setting is tried: it may be slower than predicted.
constexpr double kReserve = 0.3;
/// A setting that was tried counts as so many slower steps at least: a lucky step proves nothing.
constexpr double kPrice = 0.1;
/// A setting that is not this much faster is not worth a second step.
constexpr double kNoticeable = 0.97;
/// A setting that takes so much longer although the model predicted less contradicts the model.
constexpr double kContradiction = 1.1;
/// Step times that changed by this factor are of another load.
constexpr double kDrift = 1.5;

bool is_time(double seconds) { return std::isfinite(seconds) && seconds > 0; }

}  // namespace

const Setting& AdaptiveRun::choose(Index step, const std::string& workload) {
  step_ = step;
  if (!chosen_) {
    is_tuned_ = workload_.empty() || workload == workload_;
    chosen_ = decide(workload);
  }
  return *chosen_;
}

Setting AdaptiveRun::decide(const std::string& workload) {
  if (workload != workload_ || has_settled_) return incumbent_;
  if (candidate_) return *candidate_;
  if (reference_.count() < kFewestReferences || !has_rested_) return incumbent_;
  return next_probe();
}

Setting AdaptiveRun::next_probe() {
  const std::string why = why_settle();
  if (why.empty()) candidate_ = search_->propose(store_share_);
  if (!candidate_) {
    settle(why.empty() ? "no neighbor of the best setting is left to try" : why);
    return incumbent_;
  }
  ++num_proposals_;
  candidate_times_ = {};
  record_.probes.push_back({step_, *candidate_});
  if (model_) record_.probes.back().modeled = model_(facts_, *candidate_) / model_(facts_, incumbent_);
  record_.state = "trying settings";
  return *candidate_;
}

std::string AdaptiveRun::why_settle() const {
  if (num_probes_ == kMostProbes) return fmt::format("{} settings were tried", num_probes_);
  if (num_proposals_ == kMostProposals) return fmt::format("{} settings were proposed", num_proposals_);
  const double plans = 2 * plan_steps();  // there and back
  if (1 + plans > kMostPredicted) return fmt::format("a new plan takes {:.2g} steps", plan_steps());
  if (record_.cost_steps + debt_steps_ + plans + kReserve <= kBudget) return {};
  return fmt::format("the search has cost {:.2g} steps", record_.cost_steps);
}

bool AdaptiveRun::accepts_plan(double moved_bytes, double plan_s) {
  plan_s_ = plan_s;
  if (!is_tuned_) return true;
  if (!on_trial()) incumbent_bytes_ = moved_bytes;
  if (!on_trial() || candidate_times_.count() > 0) return true;
  const double work = incumbent_bytes_ > 0 ? moved_bytes / incumbent_bytes_ : 1;
  const double predicted = store_share_ + (1 - store_share_) * work;
  const double cost = predicted + 2 * plan_steps();
  record_.probes.back().predicted = predicted;
  record_.probes.back().plan_s = plan_s;
  if (predicted <= kMuchWorse && cost <= kMostPredicted &&
      record_.cost_steps + debt_steps_ + cost - 1 <= kBudget) {
    ++num_probes_;
    return true;
  }
  reject(fmt::format("not tried: predicted {:.2f} of a step and its plan {:.2g}", predicted, plan_steps()));
  chosen_ = incumbent_;
  plans_for_it_ = true;
  return false;
}

bool AdaptiveRun::rejects_setting() {
  if (!chosen_ || chosen_->empty()) return false;
  plans_for_it_ = true;
  if (on_trial()) {
    reject("not tried: it has no plan");
  } else {
    return_to_default("the setting has no plan");
  }
  chosen_ = incumbent_;
  return true;
}

void AdaptiveRun::observe(const TunedStep& step) {
  const Setting setting = std::exchange(chosen_, std::nullopt).value_or(incumbent_);
  const bool plans_for_it = std::exchange(plans_for_it_, false) || setting != written_;
  if (setting != written_) record_.changes.push_back({step.step, setting});
  written_ = setting;
  if (step.plan_s > 0) plan_s_ = step.plan_s;
  if (++num_steps_ == 1) return;  // it created the files
  if (workload_.empty()) begin_search(step);
  if (plans_for_it && default_s() > 0) record_.cost_steps += step.plan_s / default_s();
  watch_for_changes(step);
  if (step.workload != workload_) return;
  last_tuned_ = num_steps_;
  if (candidate_ && setting == *candidate_) {
    observe_candidate(step.step_s);
  } else if (is_time(step.step_s) && setting == incumbent_) {
    store_share_ = std::clamp(step.store_share, 0.0, 1.0);
    observe_incumbent(step.step_s);
  }
  record_.default_s = default_s();
  record_.best = incumbent_;
  record_.best_s = reference_.typical_s();
}

void AdaptiveRun::observe_candidate(double step_s) {
  if (!is_time(step_s)) return reject("not better: the clock gave no time");
  candidate_times_.add(step_s);
  const bool is_first = candidate_times_.count() == 1;
  record_.cost_steps += std::max(is_first ? kPrice : 0, step_s / default_s() - 1);
  const double ratio = candidate_times_.typical_s() / reference_.typical_s();
  record_.probes.back().observed = ratio;
  record_.probes.back().steps = static_cast<int>(candidate_times_.count());
  if (is_faster(candidate_times_, reference_)) return adopt();
  if (ratio <= kNoticeable && candidate_times_.count() < kStepsPerProbe) return;
  if (record_.probes.back().modeled < 1 && ratio > kContradiction) search_->distrust();
  reject("not better");
}

void AdaptiveRun::adopt() {
  record_.probes.back().verdict = "better";
  incumbent_ = *candidate_;
  reference_ = candidate_times_;
  candidate_.reset();
  search_->accept();
  debt_steps_ = 0;
}

void AdaptiveRun::reject(const std::string& verdict) {
  record_.probes.back().verdict = verdict;
  candidate_.reset();
  search_->reject();
  has_rested_ = false;
}

void AdaptiveRun::observe_incumbent(double step_s) {
  has_rested_ = true;
  reference_.add(step_s);
  if (incumbent_.empty()) return default_times_.add(step_s);
  constexpr double kForgets = 1 - 1.0 / kBudgetSteps;
  debt_steps_ = std::max(-kBudget, kForgets * debt_steps_ + step_s / default_s() - 1);
  if (record_.cost_steps + debt_steps_ > kBudget || is_faster(default_times_, reference_)) {
    return_to_default(fmt::format("steps with {} took longer than with the default", to_text(incumbent_)));
  }
}

void AdaptiveRun::fail() {
  const Setting setting = std::exchange(chosen_, std::nullopt).value_or(incumbent_);
  written_ = setting;
  if (setting.empty()) return;
  if (candidate_) reject("failed");
  return_to_default(fmt::format("a step with {} failed", to_text(setting)));
}

void AdaptiveRun::return_to_default(const std::string& why) {
  gave_up_ = true;
  incumbent_.clear();
  reference_ = default_times_;
  settle(why);
}

void AdaptiveRun::settle(const std::string& why) {
  has_settled_ = true;
  settled_s_ = reference_.typical_s();
  record_.best = incumbent_;
  record_.state = fmt::format("settled on {}: {}", to_text(incumbent_), why);
}

void AdaptiveRun::begin_search(const TunedStep& step) {
  workload_ = step.workload;
  if (written_.empty()) facts_ = step.facts;
  search_.emplace(axes_of(facts_, configured_), seed_ + static_cast<std::uint64_t>(num_steps_));
  if (model_) {
    search_->consult(
        [model = model_, facts = facts_](const Setting& setting) { return model(facts, setting); });
  }
  search_began_ = num_steps_;
  num_probes_ = num_proposals_ = 0;
  reference_ = default_times_ = {};
  record_.cost_steps = debt_steps_ = 0;
  has_settled_ = gave_up_ = false;
  record_.state = "measuring the default";
  if (!incumbent_.empty()) recalled_ = std::exchange(incumbent_, Setting());
  if (!recalled_) return;
  if (recalled_->empty()) {
    settle("an earlier run found nothing better");
  } else {
    search_->suggest(*recalled_);
  }
  recalled_.reset();
}

/// Begins a new search if the load or the workload has changed for good.
void AdaptiveRun::watch_for_changes(const TunedStep& step) {
  constexpr Index kGone = 8;
  constexpr std::size_t kMostRecorded = 1000;
  const bool may_begin = num_steps_ - search_began_ >= kBudgetSteps && record_.probes.size() < kMostRecorded;
  if (!may_begin) return;
  if (step.workload != workload_) {
    if (num_steps_ - last_tuned_ >= kGone) begin_search(step);
    return;
  }
  if (!has_settled_ || reference_.count() < StepTimes::kRemembered) return;
  if (settled_s_ <= 0) settled_s_ = reference_.typical_s();
  const double change = reference_.typical_s() / settled_s_;
  if (std::max(change, 1 / change) > kDrift) begin_search(step);
}

}  // namespace esker
