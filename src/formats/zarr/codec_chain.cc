#include "formats/zarr/codec_chain.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/byte_order.h"
#include "base/error.h"
#include "base/macros.h"
#include "codec/codecs.h"
#include "store/checksum.h"

namespace esker::zarr {
namespace {

constexpr Index kSumBytes = 4;

Index num_sums(const CodecChain& chain) { return std::ranges::count(chain.codecs, ByteCodec::kWithSum); }

/// The bytes before their checksum.
Result<std::span<const std::byte>> without_sum(std::span<const std::byte> stored) {
  if (std::ssize(stored) < kSumBytes)
    return error(Code::kDataLoss, "{} bytes are less than a checksum", stored.size());
  const auto bytes = stored.first(stored.size() - kSumBytes);
  std::uint32_t sum = 0;
  std::memcpy(&sum, stored.data() + bytes.size(), sizeof(sum));
  const std::uint32_t found = crc32c(bytes);
  if (found == sum) return bytes;
  return error(Code::kDataLoss, "the chunk has the checksum {:08x}, but records {:08x}", found, sum);
}

/// numcodecs begins with the size.
Status decode_lz4(std::span<const std::byte> stored, std::span<std::byte> bytes) {
  std::uint32_t size = 0;
  const bool has_size = stored.size() >= sizeof(size);
  if (has_size) std::memcpy(&size, stored.data(), sizeof(size));
  if (!has_size || size != bytes.size())
    return error(Code::kDataLoss, "lz4: {} stored bytes do not decode to {}", stored.size(), bytes.size());
  return lz4_decode(stored.subspan(sizeof(size)), bytes);
}

Status decompress(ByteCodec codec, std::span<const std::byte> stored, std::span<std::byte> bytes) {
  switch (codec) {
    case ByteCodec::kInGzip:
      return gzip_decode(stored, bytes);
    case ByteCodec::kInZlib:
      return zip_decode(stored, bytes);
    case ByteCodec::kInZstd:
      return zstd_decode(stored, bytes);
    case ByteCodec::kInBlosc:
      return blosc_decode(stored, bytes);
    case ByteCodec::kInLz4:
      return decode_lz4(stored, bytes);
    case ByteCodec::kWithSum:
      break;
  }
  return error(Code::kInternal, "codec {} is no compression", static_cast<int>(codec));
}

/// To `bytes`, which has the size before all codecs.
Status decode_bytes(const CodecChain& chain, std::span<const std::byte> stored, std::span<std::byte> bytes) {
  std::vector<std::byte> decompressed;
  for (std::size_t n = chain.codecs.size(); n-- > 0;) {
    if (chain.codecs[n] == ByteCodec::kWithSum) {
      ESKER_ASSIGN_OR_RETURN(stored, without_sum(stored));
      continue;
    }
    if (n == 0) return decompress(chain.codecs[n], stored, bytes);
    decompressed.resize(bytes.size() + n * kSumBytes);  // only checksums are before the compression
    ESKER_RETURN_IF_ERROR(decompress(chain.codecs[n], stored, decompressed));
    stored = decompressed;
  }
  if (stored.size() != bytes.size())
    return error(Code::kDataLoss, "a chunk has {} bytes, expected {}", stored.size(), bytes.size());
  std::ranges::copy(stored, bytes.begin());
  return {};
}

float half_to_float(std::uint16_t half) {
  constexpr int kMantissaBits = 10, kBias = 15, kLargest = 31;
  const int exponent = half >> kMantissaBits & kLargest, mantissa = half & 0x3ff;
  const float sign = (half & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == kLargest) {
    const auto payload = static_cast<std::uint32_t>(mantissa) << (23 - kMantissaBits);
    return std::bit_cast<float>((half & 0x8000U) << 16U | 0x7f800000U | payload);
  }
  const bool is_normal = exponent > 0;
  return sign * std::ldexp(static_cast<float>(is_normal ? mantissa + 1024 : mantissa),
                           (is_normal ? exponent : 1) - kBias - kMantissaBits);
}

void widen(std::span<const std::byte> halves, std::span<std::byte> values) {
  for (std::size_t n = 0; n < halves.size() / 2; ++n) {
    std::uint16_t half = 0;
    std::memcpy(&half, halves.data() + 2 * n, sizeof(half));
    const float value = half_to_float(half);
    std::memcpy(values.data() + sizeof(value) * n, &value, sizeof(value));
  }
}

/// Bytes that one byte of a stream decodes to, at most.
Index most_inflation(ByteCodec codec) {
  constexpr Index kOfDeflate = 1032;         // zlib's documentation
  constexpr Index kOfZstd = Index{1} << 16;  // a block of 128 KiB that repeats one byte takes 4 bytes
  if (codec == ByteCodec::kWithSum) return 1;
  return codec == ByteCodec::kInGzip || codec == ByteCodec::kInZlib ? kOfDeflate : kOfZstd;
}

}  // namespace

bool CodecChain::has_sum() const { return num_sums(*this) > 0; }

Index most_stored_bytes(const CodecChain& chain, Index chunk_bytes) {
  constexpr Index kSpareBytes = Index{64} << 10;  // frames and headers of compressions that do not compress
  const Index bytes =
      chunk_bytes / chain.value_bytes * chain.stored_value_bytes() + kSumBytes * num_sums(chain);
  const bool compresses = num_sums(chain) < std::ssize(chain.codecs);
  return compresses ? bytes + bytes / 2 + kSpareBytes : bytes;
}

Index least_stored_bytes(const CodecChain& chain, Index chunk_bytes) {
  Index bytes = chunk_bytes / chain.value_bytes * chain.stored_value_bytes();
  for (const ByteCodec codec : chain.codecs) bytes /= most_inflation(codec);
  return bytes;
}

Status decode_chunk(const CodecChain& chain, std::span<const std::byte> stored, std::span<std::byte> values) {
  if (!chain.is_half) {
    ESKER_RETURN_IF_ERROR(decode_bytes(chain, stored, values));
    if (chain.is_big_endian) swap_bytes(values, chain.value_bytes);
    return {};
  }
  std::vector<std::byte> halves(values.size() / 2);
  ESKER_RETURN_IF_ERROR(decode_bytes(chain, stored, halves));
  if (chain.is_big_endian) swap_bytes(halves, chain.stored_value_bytes());
  widen(halves, values);
  return {};
}

}  // namespace esker::zarr
