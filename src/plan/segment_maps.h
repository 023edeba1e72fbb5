// Where the samples of a segment are stored: in the caller's patch and in the piece that they belong to.
#pragma once

#include <cstddef>

#include "esker/types/patch.hpp"
#include "grid/copy_samples.h"
#include "plan/plan.h"

namespace esker {

/// One side of a copy of a segment: samples from `first` on, in bytes from the start of that side.
struct SegmentMap {
  Index first_bytes = 0;
  SampleMap samples;
};

/// In a patch, from patch.data on. The components are not included: they are component_stride_bytes apart.
SegmentMap map_in_patch(const Segment& segment, const Patch& patch);

/// Both sides of a copy between a patch, from patch.data on, and `place`. Components that are not contiguous
/// in the patch are an axis.
struct PatchCopy {
  Index element_bytes = 0;
  SegmentMap in_patch, in_place;
};
PatchCopy map_patch_copy(const Segment& segment, const Patch& patch, SegmentMap place);

/// In a buffer that begins at position (linear offset) `buffer_begin`.
SegmentMap map_in_buffer(const Segment& segment, Index buffer_begin);

/// In the send buffer, as part of `whole`, with which it is relayed.
SegmentMap map_in_relayed(const Segment& segment, const Relayed& whole);

}  // namespace esker
