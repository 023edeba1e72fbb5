#include "tune/step_times.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace esker {
namespace {

// What is known of the deviation of logarithms before any step was observed, and how many observations that
// is worth: steps of a shared storage system vary by a tenth.
constexpr double kPriorDeviation = 0.12;
constexpr double kPriorWeight = 3;
/// A step that took so many times as long as usual met a burst of other work.
constexpr double kBurstRatio = 1.5;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The lower one of two.
double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

void StepTimes::add(const Position& position, double seconds) {
  if (steps_.size() == kRemembered) steps_.erase(steps_.begin());
  steps_.push_back({position, std::log(seconds)});
}

std::vector<double> StepTimes::logs_of(const Position& position) const {
  std::vector<double> logs;
  for (const Step& step : steps_) {
    if (step.position == position) logs.push_back(step.log_s);
  }
  return logs;
}

bool StepTimes::is_burst(const Step& step) const {
  constexpr std::size_t kEnough = 3;
  const std::vector<double> logs = logs_of(step.position);
  return logs.size() >= kEnough && step.log_s > median_of(logs) + std::log(kBurstRatio);
}

double StepTimes::typical_s(const Position& position) const {
  constexpr std::size_t kMost = 6;
  std::vector<double> logs;
  for (auto step = steps_.rbegin(); step != steps_.rend() && logs.size() < kMost; ++step) {
    if (step->position == position && !is_burst(*step)) logs.push_back(step->log_s);
  }
  return logs.empty() ? 0 : std::exp(mean_of(logs));
}

double StepTimes::deviation() const {
  double squares = kPriorWeight * kPriorDeviation * kPriorDeviation, freedom = kPriorWeight;
  std::set<Position> positions;
  for (const Step& step : steps_) positions.insert(step.position);
  for (const Position& position : positions) {
    std::vector<double> logs;
    for (const Step& step : steps_) {
      if (step.position == position && !is_burst(step)) logs.push_back(step.log_s);
    }
    for (const double log_s : logs) squares += std::pow(log_s - mean_of(logs), 2);
    freedom += static_cast<double>(logs.size()) - 1;
  }
  return std::sqrt(squares / freedom);
}

}  // namespace esker
