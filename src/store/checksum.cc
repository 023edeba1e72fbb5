#include "store/checksum.h"

#include <isa-l/crc.h>

#include <algorithm>

// The library uses its fastest code for this processor if it was built with run-time dispatch.
#ifdef ESKER_XXHASH_DISPATCH
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

namespace esker {

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

// The library counts in int, and does not change the bytes.
std::uint32_t crc32c(std::span<const std::byte> bytes) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  std::uint32_t sum = ~std::uint32_t{0};
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kMostBytes))) {
    auto* begin = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
    sum = ::crc32_iscsi(begin, static_cast<int>(std::min(bytes.size(), kMostBytes)), sum);
  }
  return ~sum;
}

}  // namespace esker
