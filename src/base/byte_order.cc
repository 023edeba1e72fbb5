#include "base/byte_order.h"

#include <cstring>

namespace esker {
namespace {

std::uint16_t reversed(std::uint16_t value) { return __builtin_bswap16(value); }
std::uint32_t reversed(std::uint32_t value) { return __builtin_bswap32(value); }
std::uint64_t reversed(std::uint64_t value) { return __builtin_bswap64(value); }

template <class Word>
void swap_words(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at + sizeof(Word) <= bytes.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    word = reversed(word);
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

}  // namespace

void swap_bytes(std::span<std::byte> bytes, int element_bytes) {
  if (element_bytes == 2) swap_words<std::uint16_t>(bytes);
  if (element_bytes == 4) swap_words<std::uint32_t>(bytes);
  if (element_bytes == 8) swap_words<std::uint64_t>(bytes);
}

}  // namespace esker
