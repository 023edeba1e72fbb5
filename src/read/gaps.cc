#include "read/gaps.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "grid/points.h"
#include "model/fill_value.h"

namespace esker {

Result<std::vector<std::byte>> nan_of(const Field& field) {
  const auto bytes = [](auto value) {
    const auto of_value = std::as_bytes(std::span(&value, 1));
    return std::vector<std::byte>(of_value.begin(), of_value.end());
  };
  if (field.type == SampleType::kFloat64) return bytes(std::numeric_limits<double>::quiet_NaN());
  if (field.type == SampleType::kFloat32) return bytes(std::numeric_limits<float>::quiet_NaN());
  return error(Code::kInvalidArgument, "field '{}' is of type {}, which has no NaN", field.name,
               name(field.type));
}

Result<std::vector<std::byte>> gap_value(const Field& field, MissingBlocks missing) {
  if (missing == MissingBlocks::kNan) return nan_of(field);
  return fill_value(field);
}

void fill_gaps(const ReadTarget& target, std::span<const std::uint8_t> is_covered, Index sample_bytes,
               std::span<const std::byte> value) {
  if (is_covered.empty()) return;
  std::size_t at = 0;
  for_each_index_point(target.samples.all_indices(), [&](const Point& index) {
    if (is_covered[at++] != 0) return;
    std::byte* sample = target.out + target.position(index) * target.sample_stride_bytes;
    for (Index done = 0; done < sample_bytes; done += std::ssize(value)) {
      std::copy(value.begin(), value.end(), sample + done);
    }
    if (target.is_stored) *target.flag(index) = 0;
  });
}

}  // namespace esker
