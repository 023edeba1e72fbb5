// Buffers of Blosc 1 (c-blosc), which Zarr has: blocks of shuffled values, compressed in one of several ways.
#include <blosc.h>

#include "base/error.h"
#include "codec/codecs.h"

namespace esker {

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
