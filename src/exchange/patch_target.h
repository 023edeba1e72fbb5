// PatchTarget: takes the samples that a delivery moves, where patches hold them in another form.
#pragma once

#include <cstddef>

#include "esker/types/patch.hpp"
#include "esker/types/status.hpp"
#include "plan/segment_maps.h"

namespace esker {

class PatchTarget {
 public:
  virtual ~PatchTarget() = default;

  /// Whether it takes the samples of a field of the plan; the others are copied to their patches.
  [[nodiscard]] virtual bool takes(int field) const = 0;
  /// Takes the samples of a segment, segment.sample_bytes each, from their places in `source`. Called once
  /// per run for each segment of a patch, by the thread that runs the delivery. After an error it is not
  /// called again, and the patch is undefined.
  virtual Status take(const Segment& segment, const MutablePatch& patch, const std::byte* source,
                      const SegmentMap& place) = 0;
};

}  // namespace esker
