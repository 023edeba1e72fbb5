#include "plan/segment_maps.h"

#include <array>
#include <utility>

namespace esker {

SegmentMap map_in_patch(const Segment& segment, const Patch& patch) {
  SegmentMap map;
  for (int a = 0; a < patch.box.rank; ++a) {
    const Index first = segment.samples.origin[a], repeat = patch.repeat[a];
    map.first_bytes += (first / repeat - patch.box.lo[a] / repeat) * patch.stride_bytes[a];
    map.samples.add_repeated(segment.indices.extent(a), first, segment.samples.stride[a], repeat,
                             patch.stride_bytes[a]);
  }
  return map;
}

PatchCopy map_patch_copy(const Segment& segment, const Patch& patch, SegmentMap place) {
  PatchCopy copy{segment.sample_bytes, map_in_patch(segment, patch), std::move(place)};
  const Index component_bytes = size_bytes(patch.type);
  const int components = static_cast<int>(segment.sample_bytes / component_bytes);
  if (components > 1 && patch.component_stride_bytes != component_bytes) {
    copy.element_bytes = component_bytes;
    copy.in_patch.samples.add_strided(components, patch.component_stride_bytes);
    copy.in_place.samples.add_strided(components, component_bytes);
  }
  return copy;
}

SegmentMap map_in_buffer(const Segment& segment, Index buffer_begin) {
  return {segment.position - buffer_begin,
          SampleMap::ordered(segment.indices, segment.order, segment.sample_bytes)};
}

SegmentMap map_in_relayed(const Segment& segment, const Relayed& whole) {
  SegmentMap map{whole.offset_bytes, {}};
  std::array<Index, kMaxRank> strides{};
  Index stride = segment.sample_bytes;
  for (int a = 0; a < whole.indices.rank; ++a) {
    map.first_bytes += (segment.indices.lo[a] - whole.indices.lo[a]) * stride;
    strides[a] = stride;
    stride *= whole.indices.extent(a);
  }
  map.samples = SampleMap::strided(segment.indices, strides);
  return map;
}

}  // namespace esker
