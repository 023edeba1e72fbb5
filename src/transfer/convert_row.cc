#include "transfer/convert_row.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "grid/convert_samples.h"

namespace esker {

bool convert_row(SampleType from, const std::byte* source, Index stride_bytes, SampleType to,
                 std::span<const std::byte> misfit, std::byte* target, Index count) {
  const Index size = size_bytes(to);
  bool all_fit = true;
  for (Index done = 0; done < count; ++done) {
    done += convert_samples(from, source + done * stride_bytes, stride_bytes, to, target + done * size,
                            count - done);
    if (done == count) break;
    std::memcpy(target + done * size, misfit.data(), misfit.size());
    all_fit = false;
  }
  return all_fit;
}

bool place_row(SampleType from, const std::byte* source, Index stride_bytes, SampleType to,
               std::span<const std::byte> misfit, std::byte* target, Index target_stride_bytes, Index count) {
  const Index size = size_bytes(to);
  if (target_stride_bytes == size) {
    if (from != to || stride_bytes != size) {
      return convert_row(from, source, stride_bytes, to, misfit, target, count);
    }
    std::memcpy(target, source, static_cast<std::size_t>(count * size));
    return true;
  }
  constexpr Index kBlock = 64;  // numbers that are converted, then spread
  std::array<std::byte, 8 * kBlock> dense;
  bool all_fit = true;
  for (Index done = 0; done < count; done += kBlock) {
    const Index n = std::min(kBlock, count - done);
    all_fit &= convert_row(from, source + done * stride_bytes, stride_bytes, to, misfit, dense.data(), n);
    std::byte* to_row = target + done * target_stride_bytes;
    for (Index i = 0; i < n; ++i, to_row += target_stride_bytes) {
      std::memcpy(to_row, dense.data() + i * size, static_cast<std::size_t>(size));
    }
  }
  return all_fit;
}

}  // namespace esker
