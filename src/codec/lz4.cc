// One LZ4 block, without frame or size prefix: any sample type and shape below 2 GiB.
#include <lz4.h>

#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "base/error.h"
#include "codec/codecs.h"

namespace esker {

Index lz4_bound(Index sample_bytes) {
  const auto size = narrow<int>(sample_bytes);
  return size ? ::LZ4_compressBound(*size) : 0;
}

Result<Index> lz4_encode(std::span<const std::byte> samples, std::span<std::byte> out) {
  const auto size = narrow<int>(samples.size());
  if (!size || *size > LZ4_MAX_INPUT_SIZE) {
    return error(Code::kUnsupported, "lz4: block of {} bytes, expected at most {}", samples.size(),
                 LZ4_MAX_INPUT_SIZE);
  }
  const auto room = static_cast<int>(std::min(out.size(), std::size_t{std::numeric_limits<int>::max()}));
  return Index{::LZ4_compress_default(reinterpret_cast<const char*>(samples.data()),
                                      reinterpret_cast<char*>(out.data()), *size, room)};
}

Status lz4_decode(std::span<const std::byte> stored, std::span<std::byte> samples) {
  const auto from = narrow<int>(stored.size());
  const auto to = narrow<int>(samples.size());
  const int result = from && to ? ::LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()),
                                                        reinterpret_cast<char*>(samples.data()), *from, *to)
                                : -1;
  if (result >= 0 && static_cast<std::size_t>(result) == samples.size()) return {};
  return error(Code::kDataLoss, "lz4: {} stored bytes do not decode to {} (lz4: {})", stored.size(),
               samples.size(), result);
}

}  // namespace esker
