#include "tune/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <utility>

namespace esker {
namespace {

// A setting that cannot be expected to be this much faster than the best one is not worth a probe.
constexpr double kNoticeable = 0.97;
/// A setting is tried although it has to be so many deviations better than expected.
constexpr double kCurious = 1;
/// A value is not clearly slower if its logarithm is at most this, so many deviations below the estimate.
constexpr double kHardlySlower = 0.05, kDoubt = 0.5;
/// So many deviations are risked beyond such a value.
constexpr double kRisked = 1.5;
constexpr double kAnyRatio = std::numeric_limits<double>::infinity();

Setting setting_at(const std::vector<Axis>& axes, const Position& position) {
  Setting setting;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (position[a] != axes[a].start) setting[axes[a].option] = axes[a].values[position[a]];
  }
  return setting;
}

}  // namespace

Search::Search(std::vector<Axis> axes, std::uint64_t seed) {
  constexpr double kPreference = 0.01;
  std::mt19937_64 random(seed);
  for (const Axis& axis : axes) {
    std::vector<double>& preference = expected_.preference.emplace_back(axis.values.size());
    for (double& value : preference) value = kPreference * static_cast<double>(random() % 1024) / 1024;
  }
  expected_.axes = std::move(axes);
  proposed_.insert(position_of({}).value());
}

std::optional<Position> Search::position_of(const Setting& setting) const {
  Position position;
  std::size_t num_found = 0;
  for (const Axis& axis : expected_.axes) {
    const auto value = setting.find(axis.option);
    position.push_back(axis.start);
    if (value == setting.end()) continue;
    const auto found = std::ranges::find(axis.values, value->second);
    if (found == axis.values.end()) return std::nullopt;
    position.back() = static_cast<std::size_t>(found - axis.values.begin());
    ++num_found;
  }
  return num_found == setting.size() ? std::optional(position) : std::nullopt;
}

void Search::consult(const StepRatio& model) {
  std::map<Position, double> known;  // a model of many trees is slow
  model_ = [axes = expected_.axes, model, known](const Position& position) mutable {
    constexpr double kMost = 3;
    const auto [entry, is_new] = known.try_emplace(position);
    if (is_new) entry->second = std::clamp(std::log(model(setting_at(axes, position))), -kMost, kMost);
    return entry->second;
  };
}

void Search::observe(const Setting& setting, double seconds) {
  times_.add(position_of(setting).value(), seconds);
  if (model_) is_proven_ = is_proven_ || is_faster(best());
}

double Search::typical_s(const Setting& setting) const {
  return times_.typical_s(position_of(setting).value());
}

std::size_t Search::count(const Setting& setting) const { return times_.count(position_of(setting).value()); }

Estimate Search::judge(const Setting& setting) const {
  return judged().estimate(position_of(setting).value());
}

Setting Search::best() const { return setting_at(expected_.axes, best_position(judged())); }

double Search::lost_steps() const {
  const Effects effects = judged();
  double sum = 0;
  for (const StepTimes::Step& step : times_.steps()) {
    sum += std::exp(effects.estimate(step.position).at_most()) - 1;
  }
  return sum;
}

/// A setting seems faster if it is, even where it is a deviation slower than expected.
Position Search::best_position(const Effects& effects) const {
  Position best = position_of({}).value();
  double least = 0;
  for (const StepTimes::Step& step : times_.steps()) {
    const Estimate estimate = effects.estimate(step.position);
    if (estimate.mean + estimate.deviation >= least) continue;
    least = estimate.mean + estimate.deviation;
    best = step.position;
  }
  return best;
}

bool Search::is_hardly_slower(const Position& position, const Effects& effects) {
  const Estimate estimate = effects.estimate(position);
  return estimate.mean - kDoubt * estimate.deviation <= kHardlySlower;
}

/// On an ordered axis, a value is at most a stride from that of the best setting, or, if that is proven, as
/// far as it is from the default: near values say little of far ones.
bool Search::is_within_reach(std::size_t axis, std::size_t value, const Position& best,
                             bool is_proven) const {
  const auto distance = [](std::size_t l, std::size_t r) { return l > r ? l - r : r - l; };
  const Axis& along = expected_.axes[axis];
  const auto stride = static_cast<std::size_t>(along.stride);
  const std::size_t reach = is_proven ? std::max(stride, distance(best[axis], along.start)) : stride;
  return stride == 0 || distance(best[axis], value) <= reach;
}

/// The logarithm of what a step may take.
double Search::most_at(const Position& position, const Estimate& estimate) const {
  return model_ && !is_proven_ ? std::max(estimate.at_most(), -model_(position)) : estimate.at_most();
}

/// Changes one option of the best setting, and others if that is expected to help. The best setting itself:
/// nothing promises more.
Position Search::most_promising(double most_ratio) const {
  constexpr int kMostChanges = 4;
  const Effects effects(expected_, model(), times_);
  const Position best = best_position(effects);
  Position found = best;
  const bool is_proven = effects.estimate(best).at_most() < 0;
  double least = effects.estimate(best).mean + std::log(kNoticeable);
  for (int change = 0; change < kMostChanges; ++change) {
    const double curious = change == 0 ? kCurious : 0;
    const Position from = found;
    for (std::size_t a = 0; a < from.size(); ++a) {
      Position other = from;
      for (other[a] = 0; other[a] < expected_.axes[a].values.size(); ++other[a]) {
        if (!is_within_reach(a, other[a], best, is_proven) || proposed_.contains(other)) continue;
        const Estimate estimate = effects.estimate(other);
        const double hope = estimate.mean - curious * estimate.deviation;
        if (hope >= least || most_at(other, estimate) > std::log(most_ratio)) continue;
        least = hope;
        found = other;
      }
    }
    if (found == from) break;
    least = effects.estimate(found).mean;
  }
  return found;
}

/// The value beyond one that was tried and is hardly slower, on an axis that changes all of a step: the
/// effect of the number of writers bends. Storage that two writers share may be as slow as with four, and
/// twice as fast with one. What it may take is less certain than what the near one told.
std::optional<Position> Search::next_beyond(double most_ratio) const {
  const Effects effects(expected_, model(), times_);
  const Position best = best_position(effects);
  for (std::size_t a = 0; a < best.size(); ++a) {
    const Axis& axis = expected_.axes[a];
    if (axis.stride != 1 || axis.phase != Phase::kBoth || best[a] != axis.start) continue;
    for (const StepTimes::Step& step : times_.steps()) {
      if (step.position[a] >= axis.start || step.position[a] == 0 ||
          !is_hardly_slower(step.position, effects))
        continue;
      Position beyond = best;
      beyond[a] = step.position[a] - 1;
      const Estimate estimate = effects.estimate(beyond);
      const bool is_affordable = estimate.mean + kRisked * estimate.deviation <= std::log(most_ratio);
      if (!proposed_.contains(beyond) && is_affordable) return beyond;
    }
  }
  return std::nullopt;
}

Position Search::next_position(double most_ratio) const {
  return next_beyond(most_ratio).value_or(most_promising(most_ratio));
}

bool Search::promises_more() const { return !proposed_.contains(next_position(kAnyRatio)); }

std::optional<Setting> Search::propose(double most_ratio, bool only_the_best) {
  Position position;
  if (suggested_) {
    position = *std::exchange(suggested_, std::nullopt);
  } else {
    position = next_position(most_ratio);
    if (only_the_best && position != next_position(kAnyRatio)) return std::nullopt;
  }
  if (!proposed_.insert(position).second) return std::nullopt;
  return setting_at(expected_.axes, position);
}

}  // namespace esker
