// Memory of the double: its device memory, and memory of the host that is pinned.
#include <algorithm>

#include "double.h"
#include "state.h"

namespace esker::cuda_double {
namespace {

/// Pinned memory has an address on the device that is not the host's, and is another one in each context.
constexpr int kNumberBits = 48;
constexpr Address kMappedAt = Address{1} << 60, kHostAddresses = (Address{1} << kNumberBits) - 1;
Address mapped_at(const Context& context) { return kMappedAt + (context.number << kNumberBits); }

bool is_usable(const Allocation& allocation, const Context& context) {
  return allocation.context == &context || allocation.is_for_all_contexts;
}
/// Memory of a pool has no context.
bool is_accessible(const Allocation& allocation, const Context& context) {
  return is_usable(allocation, context) || (state().is_pool && allocation.context->device == context.device);
}

}  // namespace

Address address_of(const void* memory) {
  return static_cast<Address>(reinterpret_cast<std::uintptr_t>(memory));
}
std::byte* on_host(Address address) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
}

const Allocations::value_type* find_allocation(const Allocations& among, Address first, std::size_t bytes) {
  auto after = among.upper_bound(first);
  if (after == among.begin()) return nullptr;
  --after;
  const std::size_t size = after->second.bytes, offset = first - after->first;
  return bytes <= size && offset <= size - bytes ? &*after : nullptr;
}

MemoryRange find_memory(const Context& context, Address first, std::size_t bytes) {
  State& s = state();
  if (const auto* found = find_allocation(s.allocated, first, bytes);
      found != nullptr && is_accessible(found->second, context))
    return {found->first, found->second.bytes, s.shadow + (found->first - address_of(s.device))};
  const Address mapped = mapped_at(context);
  if ((first & ~kHostAddresses) != mapped) return {};
  if (const auto* found = find_allocation(s.registered, first - mapped, bytes);
      found != nullptr && is_usable(found->second, context))
    return {found->first + mapped, found->second.bytes, on_host(found->first)};
  return {};
}

std::byte* device_bytes(const Context& context, Address first, std::size_t bytes) {
  State& s = state();
  const auto* const found = find_allocation(s.allocated, first, bytes);
  if (found == nullptr || !is_accessible(found->second, context)) return nullptr;
  return s.shadow + (first - address_of(s.device));
}

void free_all_of(const Context& context) {
  State& s = state();
  const auto is_of_it = [&](const auto& each) { return each.second.context == &context; };
  std::erase_if(s.allocated, is_of_it);
  if (s.allocated.empty()) s.used = 0;
  s.num_objects -= static_cast<int>(std::erase_if(s.registered, is_of_it));
}

}  // namespace esker::cuda_double

using namespace esker::cuda_double;  // NOLINT

extern "C" {

// Also of addresses that do not exist.
int cuPointerGetAttributes(unsigned n, int* attributes, void** values, Address address) {
  constexpr int kContext = 1, kMemoryType = 2, kDeviceOrdinal = 9, kNoDevice = -2;
  ENTER();
  const State& s = state();
  const auto* const on_device = find_allocation(s.allocated, address, 1);
  const auto* const pinned = find_allocation(s.registered, address, 1);
  const auto* const found = on_device != nullptr ? on_device : pinned;
  Context* const context = found != nullptr ? found->second.context : nullptr;
  for (const Context* const each : {current_context(), context}) {
    if (each != nullptr && each->failure != 0) return each->failure;
  }
  for (unsigned i = 0; i < n; ++i) {
    if (attributes[i] == kContext) {
      *static_cast<void**>(values[i]) = on_device != nullptr && s.is_pool ? nullptr : context;
    } else if (attributes[i] == kMemoryType) {
      const int on_host = pinned != nullptr ? esker::device::kMemoryHost : 0;
      *static_cast<int*>(values[i]) = on_device != nullptr ? esker::device::kMemoryDevice : on_host;
    } else if (attributes[i] == kDeviceOrdinal) {
      *static_cast<int*>(values[i]) = context != nullptr ? context->device : kNoDevice;
    } else {
      *static_cast<int*>(values[i]) = 0;
    }
  }
  return 0;
}
int cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned flags) {
  constexpr unsigned kPortable = 1;
  ENTER();
  NEED_CONTEXT();
  if (bytes == 0) return kInvalidValue;
  const Address first = address_of(memory);
  for (const auto& [begin, each] : state().registered) {
    if (first < begin + each.bytes && begin < first + bytes) return kAlreadyRegistered;
  }
  state().registered.emplace(first, Allocation{current_context(), bytes, (flags & kPortable) != 0});
  ++state().num_objects;
  return 0;
}
int cuMemHostUnregister(void* memory) {
  ENTER();
  NEED_CONTEXT();
  Allocations& registered = state().registered;
  const auto found = registered.find(address_of(memory));
  if (found == registered.end() || found->second.context != current_context()) return kNotRegistered;
  registered.erase(found);
  --state().num_objects;
  return 0;
}
int cuMemHostGetDevicePointer_v2(Address* device, void* memory, unsigned) {
  ENTER();
  NEED_CONTEXT();
  const Context& context = *current_context();
  const auto* const found = find_allocation(state().registered, address_of(memory), 1);
  if (found == nullptr || !is_usable(found->second, context)) return kInvalidValue;
  *device = mapped_at(context) + address_of(memory);
  return 0;
}
int cuMemAlloc_v2(Address* address, std::size_t bytes) {
  constexpr std::size_t kAlignment = 256;
  ENTER();
  NEED_CONTEXT();
  if (bytes == 0) return kInvalidValue;
  State& s = state();
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (s.used + rounded > kDeviceBytes) return kOutOfMemory;
  *address = address_of(s.device + s.used);
  s.used += rounded;
  s.allocated.emplace(*address, Allocation{current_context(), bytes, false});
  return 0;
}
int cuMemFree_v2(Address address) {
  ENTER();
  NEED_CONTEXT();
  State& s = state();
  const auto found = s.allocated.find(address);
  if (found == s.allocated.end() || found->second.context != current_context()) return kInvalidValue;
  s.allocated.erase(found);
  if (s.allocated.empty()) s.used = 0;
  return 0;
}
void esker_double_pool(int is_pool) { state().is_pool = is_pool != 0; }
}
