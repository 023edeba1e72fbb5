// Search: proposes settings, and says which one is best, from the times of steps. Pure and deterministic: a
// seed decides between settings that seem alike.
//
//   Search search(axes, seed);
//   search.observe({}, seconds);                               // some steps with the default
//   while (const auto setting = search.propose(most_ratio)) search.observe(*setting, seconds);
//   if (search.is_faster(search.best())) ...
// A model of step times, if there is one, says what to expect of settings that were not tried. It is no
// evidence: until a setting is proven to be faster, settings are judged by their steps alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "tune/effects.h"
#include "tune/parameter_space.h"
#include "tune/setting.h"
#include "tune/step_times.h"

namespace esker {

/// The predicted time of a step with a setting, over that of a step with the default.
using StepRatio = std::function<double(const Setting&)>;

class Search {
 public:
  Search(std::vector<Axis> axes, std::uint64_t seed);

  /// This setting is proposed before all others, for example because an earlier run found it. Ignored if it
  /// is not in the space.
  void suggest(const Setting& setting) { suggested_ = position_of(setting); }
  void consult(const StepRatio& model);
  /// The model was wrong: it is not asked any more.
  void distrust() { model_ = nullptr; }
  /// The part of a step spent on storing; at first a half.
  void set_store_share(double share) { expected_.store_share = share; }
  /// A step was written with a setting of the space.
  void observe(const Setting& setting, double seconds);
  /// The most promising setting that was not proposed yet, and that is unlikely to take more than
  /// `most_ratio` times as long as the default, also if the model has it the wrong way round before a setting
  /// is proven. Nothing: none promises to be faster than the best one. `only_the_best`: also nothing if
  /// another setting promises more, but may take longer.
  std::optional<Setting> propose(double most_ratio, bool only_the_best = false);
  /// Whether a setting promises to be faster, whatever it may cost.
  [[nodiscard]] bool promises_more() const;

  /// Of the settings that steps were written with, the fastest one; the default unless one seems faster.
  [[nodiscard]] Setting best() const;
  /// What its steps say of a setting.
  [[nodiscard]] Estimate judge(const Setting& setting) const;
  /// Whether steps with it are faster, or slower, than with the default, with a confidence of 95 %.
  [[nodiscard]] bool is_faster(const Setting& setting) const { return judge(setting).at_most() < 0; }
  [[nodiscard]] bool is_slower(const Setting& setting) const { return judge(setting).at_least() > 0; }
  /// What the steps may have lost against the default, in steps with the default, with a confidence of 95 %
  /// for each; less than 0: gained.
  [[nodiscard]] double lost_steps() const;
  /// See StepTimes.
  [[nodiscard]] double typical_s(const Setting& setting) const;
  [[nodiscard]] std::size_t count(const Setting& setting) const;

 private:
  [[nodiscard]] std::optional<Position> position_of(const Setting& setting) const;
  [[nodiscard]] Effects judged() const { return {expected_, is_proven_ ? model() : nullptr, times_}; }
  [[nodiscard]] const LogRatio* model() const { return model_ ? &model_ : nullptr; }
  [[nodiscard]] Position best_position(const Effects& effects) const;
  [[nodiscard]] bool is_within_reach(std::size_t axis, std::size_t value, const Position& best,
                                     bool is_proven) const;
  [[nodiscard]] double most_at(const Position& position, const Estimate& estimate) const;
  [[nodiscard]] static bool is_hardly_slower(const Position& position, const Effects& effects);
  [[nodiscard]] std::optional<Position> next_beyond(double most_ratio) const;
  [[nodiscard]] Position most_promising(double most_ratio) const;
  [[nodiscard]] Position next_position(double most_ratio) const;

  Expectation expected_;
  LogRatio model_;  // empty: none
  StepTimes times_;
  std::set<Position> proposed_;  // and the default
  std::optional<Position> suggested_;
  bool is_proven_ = false;  // a setting was proven to be faster
};

}  // namespace esker
