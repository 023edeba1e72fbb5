#include "read/read_target.h"

#include <numeric>

#include "base/checked.h"
#include "grid/congruence.h"

namespace esker {

ReadTarget ReadTarget::dense(const Lattice& samples, int level, std::byte* out, Index sample_bytes) {
  ReadTarget target{samples, level, 0, out, sample_bytes, {}, nullptr, {}};
  Index stride = 1;
  for (int a = 0; a < samples.rank; stride *= samples.count[a], ++a) target.strides[a] = stride;
  target.flag_strides = target.strides;
  return target;
}

ReadTarget ReadTarget::strided(const Lattice& samples, int level, std::byte* out, Index sample_bytes,
                               const std::array<Index, kMaxRank>& stride_bytes) {
  ReadTarget target = dense(samples, level, out, sample_bytes);
  for (int a = 0; a < samples.rank; ++a) {
    if (samples.count[a] > 1 && stride_bytes[a] % sample_bytes != 0) target.sample_stride_bytes = 1;
  }
  for (int a = 0; a < samples.rank; ++a) target.strides[a] = stride_bytes[a] / target.sample_stride_bytes;
  return target;
}

namespace {

Index distance(const Point& index, int rank, const std::array<Index, kMaxRank>& strides) {
  Index sum = 0;
  for (int a = 0; a < rank; ++a) sum += index[a] * strides[a];
  return sum;
}

}  // namespace

ReadTarget ReadTarget::sub(const Box& indices) const {
  ReadTarget part = *this;
  part.samples = samples.sub(indices);
  part.out += position(indices.lo) * sample_stride_bytes;
  if (is_stored) part.is_stored = flag(indices.lo);
  return part;
}

Index ReadTarget::position(const Point& index) const { return distance(index, samples.rank, strides); }

std::uint8_t* ReadTarget::flag(const Point& index) const {
  return is_stored + distance(index, samples.rank, flag_strides);
}

bool ReadTarget::is_dense(Index sample_bytes) const {
  if (sample_bytes != sample_stride_bytes) return false;
  Index stride = 1;
  for (int a = 0; a < samples.rank; stride *= samples.count[a], ++a) {
    if (samples.count[a] > 1 && strides[a] != stride) return false;
  }
  return true;
}

std::array<Index, kMaxRank> ReadTarget::stride_bytes() const {
  std::array<Index, kMaxRank> bytes = strides;
  for (Index& stride : bytes) stride *= sample_stride_bytes;
  return bytes;
}

ReadTarget ReadTarget::of_mask() const {
  ReadTarget mask = *this;
  mask.out = reinterpret_cast<std::byte*>(is_stored);
  mask.sample_stride_bytes = 1;
  mask.strides = flag_strides;
  return mask;
}

std::optional<CommonSamples> common_samples(const Lattice& lattice, const ReadTarget& target) {
  const Lattice& wanted = target.samples;
  CommonSamples common{lattice.indices_in(wanted.bounds()), {1, 1, 1, 1, 1}, {}};
  Lattice shared = wanted;
  Box first = Box::from_extent(wanted.rank, {1, 1, 1, 1, 1});  // of those in common, as index in `wanted`
  std::array<Index, kMaxRank> strides{}, flag_strides{};
  for (int a = 0; a < lattice.rank; ++a) {
    if (common.indices.empty()) return std::nullopt;
    const PointRow row{lattice.origin[a], lattice.stride[a]};
    const auto meeting = first_meeting(row, {wanted.origin[a], wanted.stride[a]}, common.indices.lo[a]);
    if (!meeting || *meeting >= common.indices.hi[a]) return std::nullopt;
    common.indices.lo[a] = *meeting;
    common.step[a] = wanted.stride[a] / std::gcd(wanted.stride[a], lattice.stride[a]);
    first.lo[a] = (row.first + *meeting * row.stride - wanted.origin[a]) / wanted.stride[a];
    first.hi[a] = first.lo[a] + 1;
    shared.count[a] = div_up(common.indices.extent(a), common.step[a]);
    if (shared.count[a] > 1) {
      shared.stride[a] = common.step[a] * lattice.stride[a];
      strides[a] = shared.stride[a] / wanted.stride[a] * target.strides[a];
      flag_strides[a] = shared.stride[a] / wanted.stride[a] * target.flag_strides[a];
    }
  }
  common.target = target.sub(first);
  shared.origin = common.target.samples.origin;
  common.target.samples = shared;
  common.target.strides = strides;
  common.target.flag_strides = flag_strides;
  return common;
}

}  // namespace esker
