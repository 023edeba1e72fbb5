// Checksums of stored bytes: XXH3, 64 bits, from libxxhash; CRC-32C, which Zarr has, from ISA-L.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace esker {

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed);
/// CRC-32C (Castagnoli), as in RFC 3720.
std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace esker
