// StepAttribute: a number that describes a step and how it is written, as models of step times use them.
#pragma once

#include <string>
#include <string_view>

#include "esker/types/options.hpp"
#include "esker/types/status.hpp"
#include "tune/parameter_space.h"

namespace esker {

class StepAttribute {
 public:
  /// By its name: a fact ("ranks", "fields", "step_bytes", "bytes_per_rank", "ranks_per_aggregator"), an
  /// option that is a number or a size ("aggregators"; 0 where that leaves the choice to Esker), or an option
  /// and one of its values ("transport=put": 1 or 0). "buffer_bytes" is the option collective_buffer.
  /// kInvalidArgument: no such attribute.
  static Result<StepAttribute> named(std::string_view name);

  /// For a step of `facts` that is written with `options`.
  [[nodiscard]] double value(const TuningFacts& facts, const Options& options) const;

 private:
  using Fact = double (*)(const TuningFacts&, const Options&);

  Fact fact_ = nullptr;
  std::string option_;  // without a fact
  std::string is_;      // the value for which the attribute is 1; empty: the number
};

}  // namespace esker
