#include "base/byte_order.h"

#include <cstring>

namespace esker {
namespace {

template <class Word>
[[gnu::always_inline]] inline void swap_words(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at + sizeof(Word) <= bytes.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    word = reversed(word);
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

[[gnu::always_inline]] inline void swap_elements(std::span<std::byte> bytes, int element_bytes) {
  if (element_bytes == 2) swap_words<std::uint16_t>(bytes);
  if (element_bytes == 4) swap_words<std::uint32_t>(bytes);
  if (element_bytes == 8) swap_words<std::uint64_t>(bytes);
}

#ifdef __x86_64__
// One instruction reverses 32 bytes: several times as fast as the instructions that every processor has.
[[gnu::target("avx2")]] void swap_elements_avx2(std::span<std::byte> bytes, int element_bytes) {
  swap_elements(bytes, element_bytes);
}
#endif

}  // namespace

void append_be(std::uint64_t value, std::int64_t n_bytes, std::vector<std::byte>& bytes) {
  const std::size_t end = bytes.size() + static_cast<std::size_t>(n_bytes);
  bytes.resize(end);
  for (std::int64_t n = 1; n <= n_bytes; ++n, value >>= 8) {
    bytes[end - static_cast<std::size_t>(n)] = static_cast<std::byte>(value);
  }
}

void swap_bytes(std::span<std::byte> bytes, int element_bytes) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return swap_elements_avx2(bytes, element_bytes);
#endif
  swap_elements(bytes, element_bytes);
}

}  // namespace esker
