// WantedRuns: what an aggregator reads of the pieces of its collective buffers, where not all is wanted.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "plan/distribution.h"
#include "plan/piece_space.h"
#include "plan/plan.h"

namespace esker {

class WantedRuns {
 public:
  /// Positions in a piece space, [begin, end), in one layout, contiguous in the file.
  struct Run {
    Index begin = 0, end = 0;
  };
  WantedRuns() = default;
  /// Of the buffers of `plan`. `holders`: [layout] the boxes that ranks want, as far as this rank must know
  /// them. Gaps smaller than `cheap_gap_bytes` are part of a run. Local; may throw.
  WantedRuns(const Plan& plan, const PieceSpace& space,
             std::span<const std::shared_ptr<const Distribution>> holders, Index cheap_gap_bytes);

  /// In order.
  [[nodiscard]] std::span<const Run> of_round(std::size_t round) const {
    return std::span(runs_).subspan(first_[round], first_[round + 1] - first_[round]);
  }
  [[nodiscard]] Index size_bytes() const {
    return static_cast<Index>(runs_.capacity() * sizeof(Run) + first_.capacity() * sizeof(first_[0]));
  }

 private:
  class Finder;

  std::vector<Run> runs_;
  std::vector<std::size_t> first_;  // [round], and the end
};

}  // namespace esker
