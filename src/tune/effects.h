// Effects: what the steps of a run say about settings, also about those that were not tried.
//
// The logarithm of a step's time is the load of the machine, plus an effect of the value of each option, plus
// noise. Effects of an option's values are alike: those of an ordered option lie near a line. The load
// drifts, so a step is compared with those around it. All of this is a Gaussian process (Rasmussen, Williams:
// Gaussian Processes for Machine Learning, 2006, algorithm 2.1).
#pragma once

#include <functional>
#include <vector>

#include "tune/parameter_space.h"
#include "tune/step_times.h"

namespace esker {

/// The logarithm of the time of a step over that of a step with the default, at a position.
using LogRatio = std::function<double(const Position&)>;

/// What is expected before a step is written.
struct Expectation {
  std::vector<Axis> axes;
  double store_share = 0.5;                     ///< of a step: bounds what options can change
  std::vector<std::vector<double>> preference;  ///< [axis][value]: a logarithm, as LogRatio
};

/// A logarithm, as LogRatio.
struct Estimate {
  double mean = 0, deviation = 0;
  [[nodiscard]] double at_least() const;  ///< with a confidence of 95 %
  [[nodiscard]] double at_most() const;
};

class Effects {
 public:
  /// Refers to `expected` and to `model`, which says more of what is expected; null: there is none.
  /// Cost: the cube of the number of steps.
  Effects(const Expectation& expected, const LogRatio* model, const StepTimes& times);
  /// Cost: the square of the number of steps.
  [[nodiscard]] Estimate estimate(const Position& position) const;

 private:
  [[nodiscard]] double expected_at(const Position& position) const;
  [[nodiscard]] double covariance(const Position& left, const Position& right) const;
  void factorize();
  [[nodiscard]] std::vector<double> solve_lower(std::vector<double> right_side) const;

  const Expectation& expected_;
  const LogRatio* model_;
  std::vector<Position> positions_;         // [step]
  std::vector<std::vector<double>> lower_;  // Cholesky factor of the covariance of the steps
  std::vector<double> surprises_;           // lower_^-1 times what was not expected
};

}  // namespace esker
