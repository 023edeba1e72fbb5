// Numbers in files, independent of the host's byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace esker {

// IDX samples are little-endian; a big-endian host would have to swap them in the copy kernel.
static_assert(std::endian::native == std::endian::little, "this version runs on little-endian hosts");

inline std::uint8_t reversed(std::uint8_t value) { return value; }
inline std::uint16_t reversed(std::uint16_t value) { return __builtin_bswap16(value); }
inline std::uint32_t reversed(std::uint32_t value) { return __builtin_bswap32(value); }
inline std::uint64_t reversed(std::uint64_t value) { return __builtin_bswap64(value); }

inline std::uint32_t load_be32(const std::byte* p) {
  return static_cast<std::uint32_t>(p[0]) << 24 | static_cast<std::uint32_t>(p[1]) << 16 |
         static_cast<std::uint32_t>(p[2]) << 8 | static_cast<std::uint32_t>(p[3]);
}

inline void store_be32(std::uint32_t value, std::byte* p) {
  p[0] = static_cast<std::byte>(value >> 24);
  p[1] = static_cast<std::byte>(value >> 16);
  p[2] = static_cast<std::byte>(value >> 8);
  p[3] = static_cast<std::byte>(value);
}

/// The lowest `n_bytes` bytes of `value`, most significant first.
void append_be(std::uint64_t value, std::int64_t n_bytes, std::vector<std::byte>& bytes);

/// Reverses the bytes of every element of 2, 4 or 8 bytes; does nothing for 1. Complete elements only.
void swap_bytes(std::span<std::byte> bytes, int element_bytes);

}  // namespace esker
