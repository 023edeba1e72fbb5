#include "transfer/convert_source.h"

#include <algorithm>
#include <cstring>

#include "transfer/convert_row.h"
#include "transfer/segment_rows.h"

namespace esker {

ConvertSource::ConvertSource(const TransferPlan& plan, const std::vector<FileArray>& arrays,
                             std::span<const ArrayPatch> mine)
    : plan_(plan), arrays_(arrays), makes_(plan.parts().size()), out_of_range_(mine.size()) {
  std::vector<bool> differs(arrays.size());
  for (const ArrayPatch& each : mine) {
    const auto array = static_cast<std::size_t>(each.array);
    if (each.patch.type != arrays[array].type) differs[array] = true;
  }
  Index widest = 0;
  for (std::size_t p = 0; p < makes_.size(); ++p) {
    const auto array = static_cast<std::size_t>(plan.parts()[p].array);
    makes_[p] = differs[array];
    if (!makes_[p]) continue;
    converts_ = true;
    for (const Claim& claim : plan.parts()[p].claims) {
      widest = std::max(widest, claim.box.extent(0) * arrays[array].sample_bytes());
    }
  }
  if (widest > 0) widest = std::min(widest, plan.space().largest_piece_bytes());  // a segment is in one piece
  row_.resize(static_cast<std::size_t>(widest));
}

Status ConvertSource::make(const Segment& segment, const Patch& patch, std::byte* target,
                           const SegmentMap& place) {
  const TransferPlan::Part& part = plan_.parts()[static_cast<std::size_t>(segment.field)];
  const FileArray& array = arrays_[static_cast<std::size_t>(part.array)];
  const SegmentMap from = map_in_patch(segment, patch);
  const SampleMap& source = from.samples;
  const Index count = source.axis(0).count, stride = source.axis(0).stride, size = array.sample_bytes();
  const bool is_dense = !place.samples.table(0) && place.samples.axis(0).stride == size;
  bool all_fit = true;
  for_each_row_pair(source, place.samples, [&](Index from_bytes, Index to_bytes) {
    const std::byte* const row = static_cast<const std::byte*>(patch.data) + from.first_bytes + from_bytes;
    std::byte* const to = target + place.first_bytes + to_bytes;
    std::byte* const converted = is_dense ? to + place.samples.offset(0, 0) : row_.data();
    all_fit &=
        convert_row(patch.type, row + source.offset(0, 0), stride, array.type, array.fill, converted, count);
    if (is_dense) return;
    for (Index i = 0; i < count; ++i) {
      std::memcpy(to + place.samples.offset(0, i), converted + i * size, static_cast<std::size_t>(size));
    }
  });
  if (!all_fit) out_of_range_[static_cast<std::size_t>(part.position_of(segment.patch))] = true;
  return {};
}

}  // namespace esker
