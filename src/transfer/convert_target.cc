#include "transfer/convert_target.h"

#include "transfer/convert_row.h"
#include "transfer/segment_rows.h"

namespace esker {

ConvertTarget::ConvertTarget(const TransferPlan& plan, const std::vector<FileArray>& arrays,
                             std::span<const ArrayTarget> mine)
    : plan_(plan), arrays_(arrays), mine_(mine), takes_(plan.parts().size()), out_of_range_(mine.size()) {
  std::vector<bool> differs(arrays.size());
  for (const ArrayTarget& each : mine) {
    const auto array = static_cast<std::size_t>(each.array);
    if (each.patch.type != arrays[array].type) differs[array] = true;
  }
  for (std::size_t p = 0; p < takes_.size(); ++p) {
    takes_[p] = differs[static_cast<std::size_t>(plan.parts()[p].array)];
    converts_ = converts_ || takes_[p];
  }
}

// The pieces of a transfer are row-major: rows have strides.
Status ConvertTarget::take(const Segment& segment, const MutablePatch& patch, const std::byte* source,
                           const SegmentMap& place) {
  const TransferPlan::Part& part = plan_.parts()[static_cast<std::size_t>(segment.field)];
  const SampleType stored = arrays_[static_cast<std::size_t>(part.array)].type;
  const auto number = static_cast<std::size_t>(part.position_of(segment.patch));
  const auto misfit = mine_[number].misfit_bytes();
  const SegmentMap to = map_in_patch(segment, patch);
  const SampleMap::Axis& from_row = place.samples.axis(0);
  const SampleMap::Axis& to_row = to.samples.axis(0);
  bool all_fit = true;
  for_each_row_pair(place.samples, to.samples, [&](Index from_bytes, Index to_bytes) {
    all_fit &= place_row(stored, source + place.first_bytes + from_bytes + from_row.first, from_row.stride,
                         patch.type, misfit,
                         static_cast<std::byte*>(patch.data) + to.first_bytes + to_bytes + to_row.first,
                         to_row.stride, to_row.count);
  });
  if (!all_fit) out_of_range_[number] = true;
  return {};
}

}  // namespace esker
