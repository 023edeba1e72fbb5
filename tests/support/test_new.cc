#include "support/test_new.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> armed{false};
std::atomic<long> left{0};
std::atomic<long> failed{0};
esker::testing_support::NewFault fault;

bool fails(std::size_t bytes) {
  if (!armed || bytes < fault.min_bytes) return false;
  const long number = left--;
  if (number > 0 || (number < 0 && !fault.and_all_after)) return false;
  ++failed;
  return true;
}

void* allocate(std::size_t bytes) {
  auto& largest = esker::testing_support::largest_allocation;
  largest = std::max(largest, bytes);
  return fails(bytes) ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
}

void* allocate_aligned_or_throw(std::size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  void* memory = fails(bytes) ? nullptr : std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
  if (!memory) throw std::bad_alloc();
  return memory;
}

void* allocate_or_throw(std::size_t bytes) {
  void* memory = allocate(bytes);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

// All variants, and not inlined: a compiler or sanitizer must not pair one of these with one of the library.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_aligned_or_throw(bytes, alignment);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace esker::testing_support {

thread_local std::size_t largest_allocation = 0;

FailingNew::FailingNew(const NewFault& wanted) {
  fault = wanted;
  left = wanted.after;
  failed = 0;
  armed = true;
}
FailingNew::~FailingNew() { armed = false; }
long FailingNew::num_failed() { return failed; }

}  // namespace esker::testing_support
