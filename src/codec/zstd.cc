// Frames of Zstandard (RFC 8878): any sample type and shape.
#include <zstd.h>
#include <zstd_errors.h>

#include <memory>

#include "base/error.h"
#include "codec/codecs.h"

namespace esker {

Index zstd_bound(Index sample_bytes) {
  constexpr Index kSumBytes = 4;
  return static_cast<Index>(::ZSTD_compressBound(static_cast<std::size_t>(sample_bytes))) + kSumBytes;
}

Result<Index> zstd_encode(int level, std::span<const std::byte> samples, std::span<std::byte> out,
                          bool has_sum) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&::ZSTD_freeCCtx)> context(::ZSTD_createCCtx(), ::ZSTD_freeCCtx);
  if (!context) return error(Code::kOutOfMemory, "zstd: no memory for a context");
  ::ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ::ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, has_sum ? 1 : 0);
  const std::size_t size =
      ::ZSTD_compress2(context.get(), out.data(), out.size(), samples.data(), samples.size());
  if (!::ZSTD_isError(size)) return static_cast<Index>(size);
  if (::ZSTD_getErrorCode(size) == ZSTD_error_dstSize_tooSmall) return Index{0};
  return error(Code::kOutOfMemory, "zstd: compression failed ({})", ::ZSTD_getErrorName(size));
}

Result<Index> zstd_decoded_bytes(std::span<const std::byte> stored) {
  constexpr unsigned long long kMost = 1ULL << 32;  // also less than the values that mean errors
  const unsigned long long size = ::ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (size < kMost) return static_cast<Index>(size);
  return error(Code::kDataLoss, "zstd: {} stored bytes do not say what they decode to", stored.size());
}

Status zstd_decode(std::span<const std::byte> stored, std::span<std::byte> samples) {
  const std::size_t size = ::ZSTD_decompress(samples.data(), samples.size(), stored.data(), stored.size());
  if (!::ZSTD_isError(size) && size == samples.size()) return {};
  return error(Code::kDataLoss, "zstd: {} stored bytes do not decode to {}", stored.size(), samples.size());
}

}  // namespace esker
