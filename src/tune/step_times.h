// StepTimes: the times of the last steps that were written with one setting, and how two settings compare.
//
// Times are compared as ratios (by their logarithms): a shared storage system slows all settings by a factor.
// The reference of a comparison are the steps written directly before, so that both meet the same load.
#pragma once

#include <cstddef>
#include <vector>

namespace esker {

class StepTimes {
 public:
  /// So many steps are remembered: older ones met another load.
  static constexpr std::size_t kRemembered = 6;

  /// `seconds` is above 0.
  void add(double seconds);
  [[nodiscard]] std::size_t count() const { return logs_.size(); }
  /// The typical time: the geometric mean, of three or more steps without the slowest, which may have met a
  /// burst of other work. 0: no steps.
  [[nodiscard]] double typical_s() const;

  /// How certain it is that steps with another setting are faster: the smallest confidence of a decision.
  static constexpr double kConfidence = 0.95;

 private:
  friend bool is_faster(const StepTimes& tried, const StepTimes& reference);
  [[nodiscard]] std::vector<double> without_burst() const;

  std::vector<double> logs_;  // the oldest first
};

/// Whether `tried` is faster than `reference` with StepTimes::kConfidence: a one-sided t-test of the
/// logarithms, whose deviation has a prior. Needs two steps that were tried, and three reference steps.
bool is_faster(const StepTimes& tried, const StepTimes& reference);

}  // namespace esker
