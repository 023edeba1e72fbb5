#include "support/allocations.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace esker::testing_support {
thread_local std::size_t largest_allocation = 0;
}  // namespace esker::testing_support

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  auto& largest = esker::testing_support::largest_allocation;
  largest = std::max(largest, bytes);
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
// std::stable_sort asks for memory like this; the sanitizer's own version would not fit our delete.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
