// StepOutput: one way to write the steps of a run: through Esker, or without a library.
#pragma once

#include <memory>
#include <string>

#include "common/world.h"
#include "output.h"
#include "settings.h"

namespace pism {

/// All functions are collective and throw AgreedError.
class StepOutput {
 public:
  StepOutput() = default;
  StepOutput(const StepOutput&) = delete;
  StepOutput& operator=(const StepOutput&) = delete;
  virtual ~StepOutput() = default;

  virtual void write(const State& state) = 0;
  /// Compares what is stored of the last step with memory, to the bit.
  virtual void verify() = 0;
  virtual void close() = 0;
  /// What the last step was, in one line.
  [[nodiscard]] virtual std::string last_step() = 0;
  /// Of the run so far.
  [[nodiscard]] virtual std::string report() = 0;
};

/// By settings.raw_mode. Collective; throws AgreedError. `grid` and `settings` outlive it.
std::unique_ptr<StepOutput> make_output(const miniapp::World& world, const Grid& grid,
                                        const Settings& settings, const Description& description);

}  // namespace pism
