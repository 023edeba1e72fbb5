// Characterized workloads: what single options change, from tables of `esker tune characterize`
// (bench/surfaces.py).
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tune/random_workload.h"

namespace esker::testing_support {

/// Logarithms of the ratio of a step's time to that with the default.
struct CharacterizedSurface {
  std::string format;
  int ranks = 1, aggregators = 1;
  std::map<std::string, std::map<std::string, double>> of_options;  ///< by option and value
};

/// `kind`: "measured" or "simulated".
inline std::vector<CharacterizedSurface> characterized_surfaces(const std::string& kind) {
  constexpr const char* kPath = ESKER_GOLDEN_DIR "/tune/surfaces.json";
  std::ifstream file(kPath);
  std::vector<CharacterizedSurface> surfaces;
  for (const auto& json : nlohmann::json::parse(file)) {
    if (json.at("kind") != kind) continue;
    CharacterizedSurface& surface = surfaces.emplace_back();
    surface.format = json.at("format");
    surface.ranks = json.at("ranks");
    surface.aggregators = json.at("aggregators");
    for (const auto& [setting, ratio] : json.at("ratios").items()) {
      const std::size_t end = setting.find('=');
      surface.of_options[setting.substr(0, end)][setting.substr(end + 1)] = std::log(ratio.get<double>());
    }
  }
  if (surfaces.empty()) throw std::runtime_error(std::string(kPath) + ": no surfaces that were " + kind);
  return surfaces;
}

/// The logarithm of a number or of a size such as 64K, to the base 2.
inline double doublings_of(const std::string& value) {
  const std::size_t unit = std::string("KMG").find(value.back());
  return std::log2(std::stod(value)) + (unit == std::string::npos ? 0 : 10 * (static_cast<double>(unit) + 1));
}

/// Between characterized numbers, of which `now` is the default, logarithms are interpolated; beyond them,
/// the last one counts.
inline double interpolated(const std::map<std::string, double>& characterized, double now, double at) {
  std::map<double, double> known{{now, 0.0}};
  for (const auto& [value, log_ratio] : characterized) known[doublings_of(value)] = log_ratio;
  const auto above = known.lower_bound(at);
  if (above == known.end()) return std::prev(above)->second;
  if (above == known.begin() || above->first == at) return above->second;
  const auto below = std::prev(above);
  const double share = (at - below->first) / (above->first - below->first);
  return below->second + share * (above->second - below->second);
}

/// Options that were not characterized change nothing. The losses of several options add up, their gains do
/// not: such options shorten the same phase, so together they gain what the best one gains.
inline Workload characterized_workload(const CharacterizedSurface& of, unsigned seed) {
  constexpr Index kBufferBytes = Index{8} << 20;
  std::mt19937 random(seed);
  const auto uniform = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  Workload workload;
  workload.surface.facts = facts_of(of.ranks, of.aggregators);
  workload.surface.facts.buffer_bytes = kBufferBytes;
  workload.surface.facts.shares_a_file = of.format != "idx";
  workload.surface.store_share = uniform(0.3, 0.95);
  workload.surface.plan_s = uniform(0.005, 0.1);
  workload.axes = axes_of(workload.surface.facts, Options());
  workload.surface.step_s = [of](const Setting& setting) {
    double losses = 0, gain = 0;
    for (const auto& [option, value] : setting) {
      const auto characterized = of.of_options.find(option);
      if (characterized == of.of_options.end()) continue;
      double log_ratio = 0;
      if (const auto known = characterized->second.find(value); known != characterized->second.end()) {
        log_ratio = known->second;
      } else if (option == "aggregators" || option == "collective_buffer") {
        const double now = std::log2(option == "aggregators" ? of.aggregators : kBufferBytes);
        log_ratio = interpolated(characterized->second, now, doublings_of(value));
      }
      losses += std::max(0.0, log_ratio);
      gain = std::min(gain, log_ratio);
    }
    return std::exp(losses + gain);
  };
  return workload;
}

/// The best setting of one option, which no combination exceeds.
inline Setting best_single_option(const Workload& workload) {
  Setting best;
  for (const Axis& axis : workload.axes) {
    for (std::size_t v = 0; v < axis.values.size(); ++v) {
      const Setting other{{axis.option, axis.values[v]}};
      if (v != axis.start && workload.surface.step_s(other) < workload.surface.step_s(best)) best = other;
    }
  }
  return best;
}

}  // namespace esker::testing_support
