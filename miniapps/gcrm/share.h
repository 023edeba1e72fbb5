// Share: the fraction of a run's time that output takes, compared with the goal of global cloud-resolving
// models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "norms.h"
#include "settings.h"

namespace gcrm {

/// The goal: the largest fraction of the run time for output at intervals of 1/24 to 1/96 day.
inline constexpr double kShareGoal = 0.05;

/// One run. Seconds are those of the slowest rank.
struct RunReport {
  Interval interval;
  std::vector<std::string> paths;  ///< of its datasets
  Index output_steps = 0, model_steps = 0;
  double model_seconds = 0;         ///< the transport, waiting for slower ranks included
  double first_output_seconds = 0;  ///< creating the dataset and writing the first step, with the grid
  double output_seconds = 0;        ///< all of it
  std::int64_t data_bytes = 0;      ///< of a step after the first, in all datasets
  std::uint64_t state = 0;          ///< checksum of the tracer at the end
  double mass_change = 0;           ///< largest of all layers, relative
  std::vector<Norms> norms;         ///< at the end, per layer

  /// The share in the whole run.
  [[nodiscard]] double share() const;
  /// Without the first step: the limit of a long run.
  [[nodiscard]] double share_after_first() const;
};

/// Lines to print.
std::string to_text(const RunReport& run);
/// The reports of all runs, as JSON.
std::string to_json(const Settings& settings, int n_ranks, const std::vector<RunReport>& runs);

}  // namespace gcrm
