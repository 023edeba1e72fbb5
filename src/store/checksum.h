// Checksums of stored bytes: XXH3, 64 bits, from libxxhash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace esker {

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed);

}  // namespace esker
