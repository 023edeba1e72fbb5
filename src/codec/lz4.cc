// One LZ4 block, without frame or size prefix: any sample type and shape below 2 GiB.
#include <lz4.h>

#include "base/checked.h"
#include "base/error.h"
#include "codec/codecs.h"

namespace esker {

Result<std::vector<std::byte>> lz4_encode(std::span<const std::byte> samples) {
  const auto size = narrow<int>(samples.size());
  if (!size || *size > LZ4_MAX_INPUT_SIZE) {
    return error(Code::kUnsupported, "lz4: block of {} bytes, expected at most {}", samples.size(),
                 LZ4_MAX_INPUT_SIZE);
  }
  std::vector<std::byte> stored(static_cast<std::size_t>(::LZ4_compressBound(*size)));
  const int stored_size =
      ::LZ4_compress_default(reinterpret_cast<const char*>(samples.data()),
                             reinterpret_cast<char*>(stored.data()), *size, static_cast<int>(stored.size()));
  if (stored_size <= 0) return error(Code::kInternal, "lz4: compression of {} bytes failed", samples.size());
  stored.resize(static_cast<std::size_t>(stored_size));
  return stored;
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
