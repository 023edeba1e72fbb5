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

/// How the verdict on a setting begins that no step was written with.
constexpr std::string_view kNotTried = "not tried";

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
  if (workload != workload_ || now_.has_settled) return incumbent_;
  if (candidate_) return *candidate_;
  if (now_.reference.count() < kFewestReferences || !has_rested_) return incumbent_;
  return next_probe();
}

Setting AdaptiveRun::next_probe() {
  const std::string why = why_settle();
  if (why.empty()) candidate_ = now_.search->propose(store_share_);
  if (!candidate_) {
    settle(why.empty() ? "no neighbor of the best setting is left to try" : why);
    return incumbent_;
  }
  candidate_times_ = {};
  record_.probes.push_back({step_, *candidate_});
  if (model_) record_.probes.back().modeled = model_(facts_, *candidate_) / model_(facts_, incumbent_);
  record_.state = "trying settings";
  return *candidate_;
}

int AdaptiveRun::num_probes() const {
  const auto first = record_.probes.begin() + static_cast<std::ptrdiff_t>(now_.first_probe);
  return static_cast<int>(std::count_if(first, record_.probes.end(), [](const TuningRecord::Probe& probe) {
    return !probe.verdict.starts_with(kNotTried);
  }));
}

std::string AdaptiveRun::why_settle() const {
  if (num_probes() == kMostProbes) return fmt::format("{} settings were tried", num_probes());
  if (num_proposals() == kMostProposals) return fmt::format("{} settings were proposed", num_proposals());
  const double plans = 2 * plan_steps();  // there and back
  if (1 + plans > kMostPredicted) return fmt::format("a new plan takes {:.2g} steps", plan_steps());
  if (record_.cost_steps + now_.debt_steps + plans + kReserve <= kBudget) return {};
  return fmt::format("the search has cost {:.2g} steps", record_.cost_steps);
}

bool AdaptiveRun::accepts_plan(double moved_bytes, double plan_s) {
  plan_s_ = plan_s;
  if (!is_tuned_) return true;
  (on_trial() ? candidate_bytes_ : incumbent_bytes_) = moved_bytes;
  if (!on_trial() || candidate_times_.count() > 0) return true;
  const double work = incumbent_bytes_ > 0 ? moved_bytes / incumbent_bytes_ : 1;
  const double predicted = store_share_ + (1 - store_share_) * work;
  const double cost = predicted + 2 * plan_steps();
  record_.probes.back().predicted = predicted;
  record_.probes.back().plan_s = plan_s;
  if (predicted <= kMuchWorse && cost <= kMostPredicted &&
      record_.cost_steps + now_.debt_steps + cost - 1 <= kBudget) {
    return true;
  }
  reject(
      fmt::format("{}: predicted {:.2f} of a step and its plan {:.2g}", kNotTried, predicted, plan_steps()));
  chosen_ = incumbent_;
  plans_for_it_ = true;
  return false;
}

bool AdaptiveRun::rejects_setting() {
  if (!chosen_ || chosen_->empty()) return false;
  plans_for_it_ = true;
  if (on_trial()) {
    reject(fmt::format("{}: it has no plan", kNotTried));
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
  record_.best_s = now_.reference.typical_s();
}

void AdaptiveRun::observe_candidate(double step_s) {
  if (!is_time(step_s) || !is_time(default_s())) return reject("not better: the clock gave no time");
  candidate_times_.add(step_s);
  const bool is_first = candidate_times_.count() == 1;
  record_.cost_steps += std::max(is_first ? kPrice : 0, step_s / default_s() - 1);
  const double ratio = candidate_times_.typical_s() / now_.reference.typical_s();
  record_.probes.back().observed = ratio;
  record_.probes.back().steps = static_cast<int>(candidate_times_.count());
  if (is_faster(candidate_times_, now_.reference)) return adopt();
  if (ratio <= kNoticeable && candidate_times_.count() < kStepsPerProbe) return;
  if (record_.probes.back().modeled < 1 && ratio > kContradiction) now_.search->distrust();
  reject("not better");
}

void AdaptiveRun::adopt() {
  record_.probes.back().verdict = "better";
  incumbent_ = *candidate_;
  incumbent_bytes_ = candidate_bytes_;
  now_.reference = candidate_times_;
  candidate_.reset();
  now_.search->accept();
  now_.debt_steps = 0;
}

void AdaptiveRun::reject(const std::string& verdict) {
  record_.probes.back().verdict = verdict;
  candidate_.reset();
  now_.search->reject();
  has_rested_ = false;
}

void AdaptiveRun::observe_incumbent(double step_s) {
  has_rested_ = true;
  now_.reference.add(step_s);
  if (incumbent_.empty()) return now_.default_times.add(step_s);
  constexpr double kForgets = 1 - 1.0 / kBudgetSteps;
  now_.debt_steps = std::max(-kBudget, kForgets * now_.debt_steps + step_s / default_s() - 1);
  if (record_.cost_steps + now_.debt_steps > kBudget || is_faster(now_.default_times, now_.reference)) {
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
  now_.gave_up = true;
  incumbent_.clear();
  incumbent_bytes_ = 0;
  now_.reference = now_.default_times;
  settle(why);
}

void AdaptiveRun::settle(const std::string& why) {
  now_.has_settled = true;
  now_.settled_s = now_.reference.typical_s();
  record_.best = incumbent_;
  record_.state = fmt::format("settled on {}: {}", to_text(incumbent_), why);
}

void AdaptiveRun::begin_search(const TunedStep& step) {
  if (candidate_) reject("not decided: another search began");
  has_rested_ = true;
  if (written_.empty() || step.workload != workload_) facts_ = step.facts;
  const bool is_other = !workload_.empty() && step.workload != workload_;
  if (!incumbent_.empty() || is_other) incumbent_bytes_ = 0;
  workload_ = step.workload;
  now_ = {};
  now_.first_probe = record_.probes.size();
  now_.began = num_steps_;
  now_.search.emplace(axes_of(facts_, configured_), seed_ + static_cast<std::uint64_t>(num_steps_));
  if (model_) {
    now_.search->consult(
        [model = model_, facts = facts_](const Setting& setting) { return model(facts, setting); });
  }
  record_.cost_steps = 0;
  record_.state = "measuring the default";
  if (!incumbent_.empty()) recalled_ = std::exchange(incumbent_, Setting());
  if (!recalled_) return;
  if (recalled_->empty()) {
    settle("an earlier run found nothing better");
  } else {
    now_.search->suggest(*recalled_);
  }
  recalled_.reset();
}

/// Begins a new search if the load or the workload has changed for good.
void AdaptiveRun::watch_for_changes(const TunedStep& step) {
  constexpr Index kGone = 8;
  constexpr std::size_t kMostRecorded = 1000;
  const bool may_begin = num_steps_ - now_.began >= kBudgetSteps && record_.probes.size() < kMostRecorded;
  if (!may_begin) return;
  if (step.workload != workload_) {
    if (num_steps_ - last_tuned_ >= kGone) begin_search(step);
    return;
  }
  if (!now_.has_settled || now_.reference.count() < StepTimes::kRemembered) return;
  if (now_.settled_s <= 0) now_.settled_s = now_.reference.typical_s();
  const double change = now_.reference.typical_s() / now_.settled_s;
  if (std::max(change, 1 / change) > kDrift) begin_search(step);
}

}  // namespace esker
