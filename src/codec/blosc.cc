// Buffers of Blosc 1 (c-blosc), which Zarr has: blocks of shuffled values, compressed in one of several ways.
#include <blosc.h>

#include "base/error.h"
#include "codec/codecs.h"

namespace esker {

Index blosc_bound(Index sample_bytes) { return sample_bytes + BLOSC_MAX_OVERHEAD; }

Result<Index> blosc_encode(int level, int value_bytes, std::span<const std::byte> samples,
                           std::span<std::byte> out) {
  constexpr std::size_t kAutomatic = 0;  // the size of blocks follows from the arguments
  if (samples.size() > BLOSC_MAX_BUFFERSIZE)
    return error(Code::kUnsupported, "blosc: {} bytes, expected at most {}", samples.size(),
                 BLOSC_MAX_BUFFERSIZE);
  const int size =
      ::blosc_compress_ctx(level, BLOSC_SHUFFLE, static_cast<std::size_t>(value_bytes), samples.size(),
                           samples.data(), out.data(), out.size(), BLOSC_ZSTD_COMPNAME, kAutomatic, 1);
  if (size >= 0) return Index{size};
  return error(Code::kOutOfMemory, "blosc: compression failed (c-blosc: {})", size);
}

Status blosc_decode(std::span<const std::byte> stored, std::span<std::byte> samples) {
  std::size_t size = 0;
  const bool is_complete = ::blosc_cbuffer_validate(stored.data(), stored.size(), &size) == 0;
  if (!is_complete || size != samples.size())
    return error(Code::kDataLoss, "blosc: {} stored bytes do not decode to {}", stored.size(),
                 samples.size());
  if (samples.empty()) return {};
  const int found = ::blosc_decompress_ctx(stored.data(), samples.data(), samples.size(), 1);
  if (found > 0 && static_cast<std::size_t>(found) == samples.size()) return {};
  const char* const compressor = ::blosc_cbuffer_complib(stored.data());
  return error(Code::kDataLoss, "blosc: {} stored bytes of {} do not decode to {} (c-blosc: {})",
               stored.size(), compressor ? compressor : "an unknown compressor", samples.size(), found);
}

}  // namespace esker
