// Memory of the double: its device memory, and memory of the host that is pinned.
#include "double.h"
#include "state.h"

namespace esker::cuda_double {

/// That of a list of ranges which has all of some bytes.
const std::pair<const Address, std::size_t>* range_of(const std::map<Address, std::size_t>& ranges,
                                                      Address first, std::size_t bytes) {
  auto after = ranges.upper_bound(first);
  if (after == ranges.begin()) return nullptr;
  --after;
  return first + bytes <= after->first + after->second ? &*after : nullptr;
}
bool is_in(const std::map<Address, std::size_t>& ranges, Address first, std::size_t bytes) {
  return range_of(ranges, first, bytes) != nullptr;
}

std::byte* on_host(Address address) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
}

/// Memory of the device, or pinned memory.
MemoryRange find_memory(Address first, std::size_t bytes) {
  State& s = state();
  if (const auto* range = range_of(s.allocated, first, bytes))
    return {range->first, range->second, s.shadow + (range->first - address_of(s.device))};
  if (const auto* range = range_of(s.registered, first - kMappedAt, bytes))
    return {range->first + kMappedAt, range->second, on_host(range->first)};
  return {};
}

/// Memory that a copy accesses; null: it must not.
std::byte* access(Address first, std::size_t bytes, bool is_unpinned_allowed) {
  const MemoryRange range = find_memory(first, bytes);
  if (range.bytes > 0) return range.at + (first - range.first);
  return is_unpinned_allowed ? on_host(first) : nullptr;
}

}  // namespace esker::cuda_double

using namespace esker::cuda_double;  // NOLINT

extern "C" {

int cuPointerGetAttributes(unsigned n, int* attributes, void** values, Address address) {
  ENTER();
  const bool is_device = is_in(state().allocated, address, 1);
  const bool is_pinned = is_in(state().registered, address, 1);
  for (unsigned i = 0; i < n; ++i) {
    switch (attributes[i]) {
      case 1:
        *static_cast<void**>(values[i]) = (is_device && !state().is_pool) || is_pinned ? &state() : nullptr;
        break;
      case 2:
        *static_cast<int*>(values[i]) = is_device   ? esker::device::kMemoryDevice
                                        : is_pinned ? esker::device::kMemoryHost
                                                    : 0;
        break;
      default:
        *static_cast<int*>(values[i]) = 0;
    }
  }
  return 0;
}
int cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned) {
  ENTER();
  NEED_CONTEXT();
  const Address first = address_of(memory);
  for (const auto& [begin, size] : state().registered) {
    if (first < begin + size && begin < first + bytes) return kAlreadyRegistered;
  }
  state().registered.emplace(first, bytes);
  ++state().num_objects;
  return 0;
}
int cuMemHostUnregister(void* memory) {
  ENTER();
  NEED_CONTEXT();
  if (state().registered.erase(address_of(memory)) == 0) return kNotRegistered;
  --state().num_objects;
  return 0;
}
int cuMemHostGetDevicePointer_v2(Address* device, void* memory, unsigned) {
  ENTER();
  NEED_CONTEXT();
  *device = address_of(memory) + kMappedAt;
  return is_in(state().registered, address_of(memory), 1) ? 0 : kInvalidValue;
}
int cuMemAlloc_v2(Address* address, std::size_t bytes) {
  ENTER();
  NEED_CONTEXT();
  State& s = state();
  constexpr std::size_t kAlignment = 256;
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (s.used + rounded > kDeviceBytes) return kOutOfMemory;
  *address = address_of(s.device + s.used);
  s.used += rounded;
  s.allocated.emplace(*address, bytes);
  return 0;
}
int cuMemFree_v2(Address address) {
  ENTER();
  State& s = state();
  if (s.allocated.erase(address) == 0) return kInvalidValue;
  if (s.allocated.empty()) s.used = 0;
  return 0;
}
void esker_double_pool(int is_pool) { state().is_pool = is_pool != 0; }
}
