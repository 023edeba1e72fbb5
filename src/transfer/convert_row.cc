#include "transfer/convert_row.h"

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

}  // namespace esker
