// Scratch: memory that grows and is reused without being cleared.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "esker/types/box.hpp"

namespace esker {

class Scratch {
 public:
  /// Returns this many bytes of unspecified content; the previous content is lost.
  std::span<std::byte> get(Index size_bytes) {
    const auto size = static_cast<std::size_t>(size_bytes);
    if (size > capacity_) {
      bytes_.reset();  // never both at once
      capacity_ = 0;
      bytes_ = std::make_unique_for_overwrite<std::byte[]>(size);
      capacity_ = size;
    }
    return {bytes_.get(), size};
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t capacity_ = 0;
};

}  // namespace esker
