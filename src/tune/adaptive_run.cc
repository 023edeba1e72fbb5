#include "tune/adaptive_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace esker {
namespace {

constexpr int kFewestReferences = 3;
/// A plan with so much more work is not tried.
constexpr double kMuchWorse = 1.15;
/// Other work may multiply by this what a slower step costs.
constexpr double kBurst = 1.5;
/// Plans that take more of a step are saved for the setting that promises the most.
constexpr double kExpensivePlan = 0.5;
/// A setting that takes so much longer although the model predicted less contradicts the model.
constexpr double kContradiction = 1.1;
/// Step times that changed by this factor are of another load.
constexpr double kDrift = 1.5;
/// So many steps may be written with a setting that is not proven to be faster.
constexpr int kMostUnproven = 8;

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
  const bool is_over = now_.has_settled && !may_resume();
  if (workload != workload_ || is_over || now_.num_defaults < kFewestReferences) return incumbent_;
  if (candidate_) return *candidate_;
  const bool is_proven = incumbent_.empty() || now_.search->is_faster(incumbent_);
  if (!has_rested_) return is_proven ? incumbent_ : Setting();
  const std::string why = why_settle();
  if (why.empty()) candidate_ = now_.search->propose(affordable_ratio(), plan_steps() > kExpensivePlan);
  if (candidate_) return begin_probe();
  if (now_.has_settled) return incumbent_;
  if (is_proven) {
    now_.waits_for_budget = why.empty() && now_.search->promises_more();
    settle(why.empty() ? why_rest() : why);
  } else if (now_.num_unproven >= kMostUnproven) {
    return_to_default(fmt::format("steps with {} are not clearly faster", to_text(incumbent_)));
  }
  return incumbent_;
}

/// The budget grows with the run: what was too expensive is considered again from time to time.
bool AdaptiveRun::may_resume() const {
  constexpr Index kLookAgain = 5;
  return now_.waits_for_budget && num_steps_ % kLookAgain == 0;
}

std::string AdaptiveRun::why_rest() const {
  if (!now_.waits_for_budget) return "no other setting promises more";
  if (plan_steps() > budget_steps() / 2) return fmt::format("a new plan takes {:.2g} steps", plan_steps());
  return "other settings may cost more than they gain";
}

Setting AdaptiveRun::begin_probe() {
  now_.has_settled = false;
  record_.probes.push_back({step_, *candidate_});
  if (model_) record_.probes.back().modeled = model_(facts_, *candidate_) / model_(facts_, incumbent_);
  record_.state = "trying settings";
  return *candidate_;
}

double AdaptiveRun::budget_steps() const {
  return std::max(kBudget, kBudgetShare * static_cast<double>(num_steps_ - now_.began));
}

double AdaptiveRun::affordable_ratio() const {
  constexpr double kLeast = 0.1;
  return std::max(kLeast, 1 + (budget_steps() - spent_steps() - plan_steps()) / kBurst);
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
  return {};
}

bool AdaptiveRun::accepts_plan(double moved_bytes, double plan_s) {
  plan_s_ = plan_s;
  if (!is_tuned_) return true;
  moved_bytes_[chosen()] = moved_bytes;
  if (!on_trial() || now_.search->count(*candidate_) > 0) return true;
  const double known = moved_bytes_[incumbent_];
  const double work = known > 0 ? moved_bytes / known : 1;
  const double predicted = store_share_ + (1 - store_share_) * work;
  record_.probes.back().predicted = predicted;
  record_.probes.back().plan_s = plan_s;
  const bool is_affordable = spent_steps() + plan_steps() + predicted - 1 <= budget_steps();
  if (predicted <= kMuchWorse && is_affordable) return true;
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
  if (step.plan_s > 0) plan_s_ = std::max(0.0, step.plan_s - step.reserve_s);
  if (++num_steps_ == 1) return;  // it created the files
  if (workload_.empty()) begin_search(step);
  if (plans_for_it && default_s() > 0) {
    record_.cost_steps += step.plan_s / default_s();
    now_.plans_steps += step.plan_s / default_s();
  }
  watch_for_changes(step);
  if (step.workload != workload_) return;
  last_tuned_ = num_steps_;
  const bool was_trial = candidate_ && setting == *candidate_;
  if (!is_time(step.step_s) || (!setting.empty() && default_s() == 0)) {
    if (was_trial) reject("not better: the clock gave no time");
    return;
  }
  now_.search->observe(setting, step.step_s);
  if (was_trial) {
    observe_candidate(step.step_s);
  } else {
    has_rested_ = true;
    store_share_ = std::clamp(step.store_share, 0.0, 1.0);
    setting.empty() ? observe_default() : observe_incumbent(step.step_s);
  }
  if (!now_.has_settled) incumbent_ = now_.search->best();
  record_.default_s = default_s();
  record_.best = incumbent_;
  record_.best_s = incumbent_.empty() ? default_s() : now_.search->typical_s(incumbent_);
}

void AdaptiveRun::observe_candidate(double step_s) {
  record_.cost_steps += std::max(0.0, step_s / default_s() - 1);
  TuningRecord::Probe& probe = record_.probes.back();
  probe.observed = now_.search->typical_s(*candidate_) / now_.search->typical_s(incumbent_);
  probe.steps = static_cast<int>(now_.search->count(*candidate_));
  if (probe.modeled < 1 && probe.observed > kContradiction) now_.search->distrust();
  const bool is_better = now_.search->best() == *candidate_;
  if (!is_better && probe.steps < kStepsPerProbe && is_worth_a_step(*candidate_)) return;
  probe.verdict = is_better ? "better" : "not better";
  has_rested_ = false;
  candidate_.reset();
}

/// It may still be better, and another step with it is affordable.
bool AdaptiveRun::is_worth_a_step(const Setting& setting) const {
  const Estimate estimate = now_.search->judge(setting);
  return estimate.mean < now_.search->judge(incumbent_).mean &&
         estimate.at_most() < std::log(affordable_ratio());
}

void AdaptiveRun::reject(const std::string& verdict) {
  record_.probes.back().verdict = verdict;
  candidate_.reset();
}

void AdaptiveRun::observe_default() {
  ++now_.num_defaults;
  now_.default_s = now_.search->typical_s({});
  now_.search->set_store_share(store_share_);
}

void AdaptiveRun::observe_incumbent(double step_s) {
  ++now_.num_unproven;
  constexpr double kForgets = 1 - 1.0 / kBudgetSteps;
  now_.debt_steps = std::max(-kBudget, kForgets * now_.debt_steps + step_s / default_s() - 1);
  const double lost_steps = record_.cost_steps - now_.plans_steps + now_.debt_steps;  // plans are paid for
  if (lost_steps > budget_steps() || now_.search->is_slower(incumbent_)) {
    return_to_default(fmt::format("steps with {} took longer than with the default", to_text(incumbent_)));
  }
}

void AdaptiveRun::fail() {
  const Setting setting = std::exchange(chosen_, std::nullopt).value_or(incumbent_);
  written_ = setting;
  if (setting.empty()) return;
  if (candidate_) reject("failed");
  now_.waits_for_budget =
      false;  // the search would begin with the best setting so far, which may be this one
  return_to_default(fmt::format("a step with {} failed", to_text(setting)));
}

void AdaptiveRun::return_to_default(const std::string& why) {
  now_.gave_up = true;
  incumbent_.clear();
  settle(why);
}

void AdaptiveRun::settle(const std::string& why) {
  now_.has_settled = true;
  now_.settled_s = now_.search->typical_s(incumbent_);
  record_.best = incumbent_;
  record_.state = fmt::format("settled on {}: {}", to_text(incumbent_), why);
}

void AdaptiveRun::begin_search(const TunedStep& step) {
  if (candidate_) reject("not decided: another search began");
  has_rested_ = true;
  if (written_.empty() || step.workload != workload_) facts_ = step.facts;
  if (!workload_.empty() && step.workload != workload_) moved_bytes_.clear();
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
  constexpr std::size_t kMostRecorded = 1000, kEnough = 6;
  const bool may_begin = num_steps_ - now_.began >= kBudgetSteps && record_.probes.size() < kMostRecorded;
  if (!may_begin) return;
  if (step.workload != workload_) {
    if (num_steps_ - last_tuned_ >= kGone) begin_search(step);
    return;
  }
  if (!now_.has_settled || now_.search->count(incumbent_) < kEnough) return;
  const double typical_s = now_.search->typical_s(incumbent_);
  if (now_.settled_s <= 0) now_.settled_s = typical_s;
  const double change = typical_s / now_.settled_s;
  if (std::max(change, 1 / change) > kDrift) begin_search(step);
}

}  // namespace esker
