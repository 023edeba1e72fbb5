// zlib streams (RFC 1950): any sample type and shape.
#include <zlib.h>

#include "base/error.h"
#include "codec/codecs.h"

namespace esker {

Index zip_bound(Index sample_bytes) {
  return static_cast<Index>(::compressBound(static_cast<uLong>(sample_bytes)));
}

Result<Index> zip_encode(int level, std::span<const std::byte> samples, std::span<std::byte> out) {
  uLongf size = out.size();
  const int result = ::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                                 reinterpret_cast<const Bytef*>(samples.data()), samples.size(), level);
  if (result == Z_BUF_ERROR) return Index{0};
  if (result != Z_OK) return error(Code::kOutOfMemory, "zip: compression failed (zlib: {})", result);
  return static_cast<Index>(size);
}

Status zip_decode(std::span<const std::byte> stored, std::span<std::byte> samples) {
  uLongf size = samples.size();
  const int result = ::uncompress(reinterpret_cast<Bytef*>(samples.data()), &size,
                                  reinterpret_cast<const Bytef*>(stored.data()), stored.size());
  if (result == Z_OK && size == samples.size()) return {};
  return error(Code::kDataLoss, "zip: {} stored bytes do not decode to {} (zlib: {}, {} bytes)",
               stored.size(), samples.size(), result, size);
}

}  // namespace esker
