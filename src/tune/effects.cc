#include "tune/effects.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace esker {
namespace {

// Deviations of effects of options that affect all of a step: of a value; of a stride along an ordered
// option, the part that is the same from stride to stride and the part that is not.
constexpr double kOfValue = 0.15, kOfSlope = 0.15, kOfStride = 0.1;
/// Correlation of other values of an option.
constexpr double kAlike = 0.5;
/// What another value costs: the default was chosen for a reason.
constexpr double kChange = 0.02;
/// Of the load of the machine, and how it changes from step to step.
constexpr double kOfLoad = 1, kOfDrift = 0.02;
/// The noise of a step with a burst, in that of others.
constexpr double kOfBurst = 5;
constexpr double kNormal95 = 1.645;

double square(double value) { return value * value; }

double share_of(Phase phase, double store_share) {
  if (phase == Phase::kBoth) return 1;
  return phase == Phase::kStore ? store_share : 1 - store_share;
}

double strides(const Axis& axis, std::size_t value) {
  return (static_cast<double>(value) - static_cast<double>(axis.start)) / axis.stride;
}

/// Of the effects of two values.
double covariance_on(const Axis& axis, std::size_t left, std::size_t right) {
  if (left == axis.start || right == axis.start) return 0;
  if (axis.stride == 0) return square(kOfValue) * (left == right ? 1 : kAlike);
  const double l = strides(axis, left), r = strides(axis, right);
  const double common = l * r > 0 ? std::min(std::abs(l), std::abs(r)) : 0;
  return square(kOfSlope) * l * r + square(kOfStride) * common;
}

double dot(const std::vector<double>& left, const std::vector<double>& right) {
  return std::inner_product(left.begin(), left.end(), right.begin(), 0.0);
}

}  // namespace

double Estimate::at_least() const { return mean - kNormal95 * deviation; }
double Estimate::at_most() const { return mean + kNormal95 * deviation; }

double Effects::expected_at(const Position& position) const {
  double sum = model_ ? (*model_)(position) : 0;
  for (std::size_t a = 0; a < position.size(); ++a) {
    if (position[a] != expected_.axes[a].start) sum += kChange + expected_.preference[a][position[a]];
  }
  return sum;
}

double Effects::covariance(const Position& left, const Position& right) const {
  double sum = 0;
  for (std::size_t a = 0; a < left.size(); ++a) {
    const Axis& axis = expected_.axes[a];
    sum += square(share_of(axis.phase, expected_.store_share)) * covariance_on(axis, left[a], right[a]);
  }
  return sum;
}

Effects::Effects(const Expectation& expected, const LogRatio* model, const StepTimes& times)
    : expected_(expected), model_(model), lower_(times.steps().size()) {
  const std::vector<StepTimes::Step>& steps = times.steps();
  const double noise = square(times.deviation());
  std::vector<double> unexpected;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    positions_.push_back(steps[i].position);
    unexpected.push_back(steps[i].log_s - steps[0].log_s - expected_at(positions_[i]));
    for (std::size_t j = 0; j <= i; ++j) {
      const double load = square(kOfLoad) + square(kOfDrift) * static_cast<double>(j);
      lower_[i].push_back(load + covariance(positions_[i], positions_[j]));
    }
    lower_[i][i] += noise * (times.is_burst(steps[i]) ? square(kOfBurst) : 1);
  }
  factorize();
  surprises_ = solve_lower(std::move(unexpected));
}

/// Cholesky's method, in place.
void Effects::factorize() {
  for (std::size_t i = 0; i < lower_.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double& element = lower_[i][j];
      for (std::size_t k = 0; k < j; ++k) element -= lower_[i][k] * lower_[j][k];
      element = i == j ? std::sqrt(element) : element / lower_[j][j];
    }
  }
}

std::vector<double> Effects::solve_lower(std::vector<double> right_side) const {
  for (std::size_t i = 0; i < right_side.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) right_side[i] -= lower_[i][k] * right_side[k];
    right_side[i] /= lower_[i][i];
  }
  return right_side;
}

Estimate Effects::estimate(const Position& position) const {
  std::vector<double> related;
  for (const Position& other : positions_) related.push_back(covariance(position, other));
  related = solve_lower(std::move(related));
  const double variance = covariance(position, position) - dot(related, related);
  return {expected_at(position) + dot(related, surprises_), std::sqrt(std::max(0.0, variance))};
}

}  // namespace esker
