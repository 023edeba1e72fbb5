// The bytes of a text: to be stored, or for a checksum.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace esker {

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace esker
