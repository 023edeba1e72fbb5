// PartSums: checksums of the parts of pieces, for formats that store them when they commit a step
// (StepLayouts::sums_parts). Each rank computes those of the parts that it stores; rank 0 collects them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "esker/types/status.hpp"
#include "layout/step_layouts.h"
#include "plan/piece_space.h"
#include "plan/plan.h"

namespace esker {

class PartSums {
 public:
  PartSums() = default;
  /// Allocates room for the parts that the rank of `plan` stores. Local.
  PartSums(const StepLayouts& layouts, const PieceSpace& space, const Plan& plan);

  /// Forgets the sums of the last step.
  void begin_step() { sums_.clear(); }

  /// Adds the parts in a buffer; with `own`, the segments of this rank in it, only those that are one of
  /// them.
  /// Local, allocates nothing.
  void add(const StepLayouts& layouts, const PieceSpace& space, const BufferContent& content,
           std::span<const std::byte> buffer, const SegmentList* own);

  /// On rank 0 the sums of all ranks, [layout][number of the part in file order]; elsewhere nothing.
  /// Collective; errors are those of all ranks: kOutOfMemory.
  Result<std::vector<std::vector<std::uint64_t>>> gather(Comm& comm, const PieceSpace& space) const;

 private:
  struct Sum {
    Index piece = 0;  ///< in the space
    Index part = 0;   ///< of the piece
    std::uint64_t checksum = 0;
  };
  std::vector<Sum> sums_;
};

}  // namespace esker
