#include "codec/shuffle.h"

#include <algorithm>

namespace esker {
namespace {

constexpr std::size_t kBlock = 1024;  // values, which stay in the fastest cache for all of their bytes

/// Calls move(byte in values, byte in shuffled) for all bytes.
template <std::size_t kBytes, class Move>
void for_each_byte(std::size_t num_values, const Move& move) {
  for (std::size_t begin = 0; begin < num_values; begin += kBlock) {
    const std::size_t end = std::min(num_values, begin + kBlock);
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
      for (std::size_t n = begin; n < end; ++n) move(n * kBytes + byte, byte * num_values + n);
    }
  }
}

template <class Move>
void for_each_byte(std::size_t num_bytes, Index value_bytes, const Move& move) {
  if (value_bytes == 8) return for_each_byte<8>(num_bytes / 8, move);
  if (value_bytes == 4) return for_each_byte<4>(num_bytes / 4, move);
  if (value_bytes == 2) return for_each_byte<2>(num_bytes / 2, move);
  for_each_byte<1>(num_bytes, move);
}

}  // namespace

void shuffle(std::span<const std::byte> values, Index value_bytes, std::span<std::byte> out) {
  const std::byte* from = values.data();
  std::byte* to = out.data();
  for_each_byte(values.size(), value_bytes,
                [=](std::size_t in_values, std::size_t in_shuffled) { to[in_shuffled] = from[in_values]; });
}

void unshuffle(std::span<const std::byte> shuffled, Index value_bytes, std::span<std::byte> out) {
  const std::byte* from = shuffled.data();
  std::byte* to = out.data();
  for_each_byte(shuffled.size(), value_bytes,
                [=](std::size_t in_values, std::size_t in_shuffled) { to[in_values] = from[in_shuffled]; });
}

}  // namespace esker
