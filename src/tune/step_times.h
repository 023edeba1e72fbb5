// StepTimes: how long steps took that were written in several ways, for comparisons.
#pragma once

#include <cstddef>
#include <vector>

#include "tune/parameter_space.h"

namespace esker {

class StepTimes {
 public:
  /// So many steps are remembered: older ones met another load.
  static constexpr std::size_t kRemembered = 30;

  struct Step {
    Position position;
    double log_s = 0;  ///< logarithm of its seconds
  };

  /// `seconds` is above 0.
  void add(const Position& position, double seconds);
  /// The oldest first.
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] std::size_t count(const Position& position) const { return logs_of(position).size(); }
  /// Of the last six steps at the position: the geometric mean, of three or more without bursts of other
  /// work. 0: no steps.
  [[nodiscard]] double typical_s(const Position& position) const;
  /// Whether other work made the step slower: it took half as long again as the typical one of three or more.
  [[nodiscard]] bool is_burst(const Step& step) const;
  /// The deviation of logarithms of steps at the same position, without bursts.
  [[nodiscard]] double deviation() const;

 private:
  [[nodiscard]] std::vector<double> logs_of(const Position& position) const;

  std::vector<Step> steps_;
};

}  // namespace esker
