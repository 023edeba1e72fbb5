// Checksums of a model's state that do not depend on the number of ranks: the hashes of all values are added.
#pragma once

#include <bit>
#include <cstdint>

namespace miniapp {

/// The finalizer of splitmix64 (Steele et al. 2014).
inline std::uint64_t mix_bits(std::uint64_t v) {
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9U;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebU;
  return v ^ (v >> 31);
}

/// The hash of a value's bits and its position in the whole grid.
inline std::uint64_t hash_of(double value, std::int64_t position) {
  return mix_bits(std::bit_cast<std::uint64_t>(value) + mix_bits(static_cast<std::uint64_t>(position) + 1));
}

}  // namespace miniapp
