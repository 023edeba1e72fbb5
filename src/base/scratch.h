// Scratch: memory that grows and is reused without being cleared.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "base/system.h"
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
      bytes_.reset(static_cast<std::byte*>(::operator new(size, alignment_of(size))));
      capacity_ = size;
      bytes_.get_deleter().size = size;
      if (size >= kHugePage) prefer_huge_pages({bytes_.get(), size});
    }
    return {bytes_.get(), size};
  }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;  // of x86-64, and of ARM with 4 KiB pages
  static std::align_val_t alignment_of(std::size_t size) {
    return std::align_val_t{size >= kHugePage ? kHugePage : alignof(std::max_align_t)};
  }
  struct Delete {
    std::size_t size;  // of what it frees
    void operator()(std::byte* bytes) const { ::operator delete(bytes, alignment_of(size)); }
  };

  std::unique_ptr<std::byte[], Delete> bytes_{nullptr, Delete{0}};
  std::size_t capacity_ = 0;
};

}  // namespace esker
