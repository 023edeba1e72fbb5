#include "tune/step_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace esker {
namespace {

// What is known of the deviation of logarithms before any step was observed, and how many observations that
// is worth: steps of a shared storage system vary by a tenth.
constexpr double kPriorDeviation = 0.12;
constexpr double kPriorWeight = 3;

/// The quantile of Student's distribution for StepTimes::kConfidence; [degrees of freedom, without the
/// prior].
constexpr std::array kQuantiles{2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

}  // namespace

void StepTimes::add(double seconds) {
  if (logs_.size() == kRemembered) logs_.erase(logs_.begin());
  logs_.push_back(std::log(seconds));
}

std::vector<double> StepTimes::without_burst() const {
  constexpr std::size_t kEnough = 3;
  std::vector<double> kept = logs_;
  if (kept.size() >= kEnough) kept.erase(std::ranges::max_element(kept));
  return kept;
}

double StepTimes::typical_s() const { return logs_.empty() ? 0 : std::exp(mean_of(without_burst())); }

bool is_faster(const StepTimes& tried, const StepTimes& reference) {
  constexpr std::size_t kFewestTried = 2, kFewestReferences = 3;
  if (tried.count() < kFewestTried || reference.count() < kFewestReferences) return false;
  const std::vector<double> tried_logs = tried.without_burst(), reference_logs = reference.without_burst();
  const std::size_t freedom = tried_logs.size() + reference_logs.size() - 2;
  const double squares =
      squares_of(tried_logs) + squares_of(reference_logs) + kPriorWeight * kPriorDeviation * kPriorDeviation;
  const double variance = squares / (static_cast<double>(freedom) + kPriorWeight);
  const double means =
      1 / static_cast<double>(tried_logs.size()) + 1 / static_cast<double>(reference_logs.size());
  const double margin = kQuantiles[std::min(freedom, kQuantiles.size() - 1)] * std::sqrt(variance * means);
  return mean_of(tried_logs) < mean_of(reference_logs) - margin;
}

}  // namespace esker
