// read_present: reads a file as if zeros followed its end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/macros.h"
#include "store/store.h"

namespace esker {

/// Fills `bytes` from `offset`; zeros where the file has ended, at `size_bytes`. Local.
inline Status read_present(const File& file, Index size_bytes, std::span<std::byte> bytes, Index offset) {
  const auto present =
      bytes.first(static_cast<std::size_t>(std::clamp<Index>(size_bytes - offset, 0, std::ssize(bytes))));
  std::fill(bytes.begin() + std::ssize(present), bytes.end(), std::byte{});
  return present.empty() ? Status() : file.read_at(present, offset);
}

inline Status read_present(const File& file, std::span<std::byte> bytes, Index offset) {
  ESKER_ASSIGN_OR_RETURN(const Index size_bytes, file.size_bytes());
  return read_present(file, size_bytes, bytes, offset);
}

}  // namespace esker
