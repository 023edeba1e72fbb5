// PatchSource: makes the samples that an exchange moves, where patches hold them in another form.
#pragma once

#include <cstddef>

#include "esker/types/patch.hpp"
#include "esker/types/status.hpp"
#include "plan/segment_maps.h"

namespace esker {

class PatchSource {
 public:
  virtual ~PatchSource() = default;

  /// Whether it makes the samples of a field of the plan; the others are copied from their patches.
  [[nodiscard]] virtual bool makes(int field) const = 0;
  /// Writes the samples of a segment, segment.sample_bytes each, to their places in `target`. Called once per
  /// run for each segment of a patch, by the thread that runs the exchange. After an error it is not called
  /// again, and the samples are undefined.
  virtual Status make(const Segment& segment, const Patch& patch, std::byte* target,
                      const SegmentMap& place) = 0;
};

}  // namespace esker
