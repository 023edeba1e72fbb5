// What the double of the CUDA driver knows: memory, streams, and what tests ask of it.
//
// Functions of the driver are declared nowhere: they are found by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "device/driver.h"
#include "ptx.h"
#include "results.h"

#pragma GCC diagnostic ignored "-Wmissing-declarations"

namespace esker::cuda_double {

using device::Address;

inline constexpr std::size_t kDeviceBytes = std::size_t{256} << 20;
/// Device addresses of pinned memory are others than the host's.
inline constexpr Address kMappedAt = Address{1} << 60;

/// Work that a stream has not done yet.
using Work = std::function<int()>;
struct Stream {
  std::vector<Work> work;
  bool is_captured = false;
};
/// What was to be done when it was recorded.
struct Event {
  Stream* stream = nullptr;
  std::size_t length = 0;
};

struct State {
  std::mutex mutex;
  std::byte* device = nullptr;  // cannot be accessed
  std::byte* shadow = nullptr;  // the same memory, for the double
  std::size_t used = 0;
  std::map<Address, std::size_t> allocated, registered;
  Stream legacy;
  int num_objects = 0;
  std::string failing;
  int calls_until_failure = -1, failure = 0;
  bool is_pool = false;  // device memory has no context
  unsigned long long kernel_bytes = 0, copy_bytes = 0;
  std::string ptx_error;  // of the last module

  State();
};
State& state();
inline thread_local std::vector<void*> contexts;  // pushed

/// Whether this call of the function is one that is to fail.
int fault(const char* function);
Stream& stream_at(void* stream);
Address address_of(const void* memory);
std::byte* on_host(Address address);
/// Whether a range is in one of a list of ranges.
bool is_in(const std::map<Address, std::size_t>& ranges, Address first, std::size_t bytes);
/// Memory of the device, or pinned memory.
MemoryRange find_memory(Address first, std::size_t bytes);
/// Memory that a copy accesses; null: it must not.
std::byte* access(Address first, std::size_t bytes, bool is_unpinned_allowed = false);

}  // namespace esker::cuda_double

#define ENTER()                                                  \
  const std::lock_guard lock(esker::cuda_double::state().mutex); \
  if (const int result = esker::cuda_double::fault(__func__); result != 0) return result
#define NEED_CONTEXT() \
  if (esker::cuda_double::contexts.empty()) return esker::cuda_double::kInvalidContext
