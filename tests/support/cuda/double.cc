#include "double.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "device/copy_units.h"
#include "device/driver.h"

// The functions are found by name, and declared nowhere.
#pragma GCC diagnostic ignored "-Wmissing-declarations"

namespace {

using esker::device::Address;
using esker::device::Copy3d;
using esker::device::CopyTask;

constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidContext = 201, kAlreadyRegistered = 712,
              kNotRegistered = 713, kIllegalAddress = 700, kNotFound = 500;
constexpr Address kMappedAt = Address{1}
                              << 60;  // device addresses of pinned memory are others than the host's
constexpr std::size_t kMostPitch = (std::size_t{1} << 31) - 1;
constexpr std::size_t kDeviceBytes = std::size_t{256} << 20;

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

  State() {
    const int memory = ::memfd_create("device", 0);
    if (memory < 0 || ::ftruncate(memory, static_cast<off_t>(kDeviceBytes)) != 0) std::abort();
    device = static_cast<std::byte*>(::mmap(nullptr, kDeviceBytes, PROT_NONE, MAP_SHARED, memory, 0));
    shadow =
        static_cast<std::byte*>(::mmap(nullptr, kDeviceBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0));
    ::close(memory);
  }
};

thread_local std::vector<void*> contexts;  // pushed

State& state() {
  static State only;
  return only;
}

Address address_of(const void* memory) {
  return static_cast<Address>(reinterpret_cast<std::uintptr_t>(memory));
}

/// Whether a range is in one of a list of ranges.
bool is_in(const std::map<Address, std::size_t>& ranges, Address first, std::size_t bytes) {
  auto after = ranges.upper_bound(first);
  if (after == ranges.begin()) return false;
  --after;
  return first + bytes <= after->first + after->second;
}

/// Memory that a kernel or copy accesses; null: it must not.
std::byte* access(Address first, std::size_t bytes, bool is_unpinned_allowed = false) {
  State& s = state();
  if (is_in(s.allocated, first, bytes)) return s.shadow + (first - address_of(s.device));
  if (is_unpinned_allowed) return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(first));
  const Address on_host = first - kMappedAt;
  return is_in(s.registered, on_host, bytes)
             ? reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(on_host))
             : nullptr;
}

int run_kernel(const CopyTask& task) {
  for (unsigned unit = 0; unit < task.num_units; ++unit) {
    const auto at = esker::device::addresses_of(task, unit);
    if ((at.from | at.to) % task.unit_bytes != 0) return kIllegalAddress;  // misaligned
    const std::byte* const from = access(at.from, task.unit_bytes);
    std::byte* const to = access(at.to, task.unit_bytes);
    if (from == nullptr || to == nullptr) return kIllegalAddress;
    std::memcpy(to, from, task.unit_bytes);
  }
  state().kernel_bytes += static_cast<unsigned long long>(task.num_units) * task.unit_bytes;
  return 0;
}

int run_copy(const Copy3d& copy) {
  const auto start = [](const Copy3d::Side& side) {
    const bool is_device = side.memory_type == esker::device::kMemoryDevice;
    return is_device ? side.device : address_of(side.host);
  };
  if (std::max(copy.from.pitch_bytes, copy.to.pitch_bytes) > kMostPitch ||
      copy.from.pitch_bytes < copy.width_bytes || copy.to.pitch_bytes < copy.width_bytes ||
      copy.from.height < copy.height || copy.to.height < copy.height)
    return kInvalidValue;
  for (std::size_t z = 0; z < copy.depth; ++z) {
    for (std::size_t y = 0; y < copy.height; ++y) {
      const auto row = [&](const Copy3d::Side& side) {
        return access(start(side) + (z * side.height + y) * side.pitch_bytes, copy.width_bytes, true);
      };
      std::memcpy(row(copy.to), row(copy.from), copy.width_bytes);
    }
  }
  state().copy_bytes += copy.depth * copy.height * copy.width_bytes;
  return 0;
}

int run_row(Address to, Address from, std::size_t bytes) {
  std::memcpy(access(to, bytes, true), access(from, bytes, true), bytes);
  state().copy_bytes += bytes;
  return 0;
}

/// Does the first `length` pieces of work, which may add to other streams.
int drain(Stream& stream, std::size_t length) {
  int result = 0;
  for (std::size_t n = 0; n < length && n < stream.work.size(); ++n) {
    const Work work = std::exchange(stream.work[n], [] { return 0; });
    if (const int done = work(); result == 0) result = done;
  }
  return result;
}

/// For each function: whether this call is one that fails.
int fault(const char* function) {
  State& s = state();
  if (s.failing != function || s.calls_until_failure < 0) return 0;
  return s.calls_until_failure-- == 0 ? s.failure : 0;
}

Stream& stream_at(void* stream) {
  const bool is_legacy = stream == nullptr || stream == reinterpret_cast<void*>(1);
  return is_legacy ? state().legacy : *static_cast<Stream*>(stream);
}

}  // namespace

#define ENTER()                              \
  const std::lock_guard lock(state().mutex); \
  if (const int result = fault(__func__); result != 0) return result
#define NEED_CONTEXT() \
  if (contexts.empty()) return kInvalidContext

extern "C" {

void esker_double_fail(const char* function, int nth, int result) {
  State& s = state();
  s.failing = function == nullptr ? "" : function;
  s.calls_until_failure = function == nullptr ? -1 : nth;
  s.failure = result;
}
int esker_double_num_objects() { return state().num_objects; }
void esker_double_fill_later(void* stream, unsigned long long address, std::size_t bytes, int value) {
  stream_at(stream).work.emplace_back([=] {
    std::byte* const to = access(address, bytes);
    if (to == nullptr) return kIllegalAddress;
    std::memset(to, value, bytes);
    return 0;
  });
}
void esker_double_pool(int is_pool) { state().is_pool = is_pool != 0; }
void esker_double_capture(void* stream, int is_captured) { stream_at(stream).is_captured = is_captured != 0; }
unsigned long long esker_double_kernel_bytes() { return state().kernel_bytes; }
unsigned long long esker_double_copy_bytes() { return state().copy_bytes; }

int cuInit(unsigned) { return 0; }
int cuGetErrorName(int result, const char** name) {
  *name = result == kOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                      : "CUDA_ERROR";
  return 0;
}
int cuGetErrorString(int, const char** text) {
  *text = "an error of the tests' driver";
  return 0;
}
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
int cuDeviceGet(int* device, int number) {
  *device = number;
  return number == 0 ? 0 : kInvalidValue;
}
int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* is_active) {
  ENTER();
  *flags = 0;
  *is_active = 1;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  ENTER();
  *context = &state();
  ++state().num_objects;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  ENTER();
  --state().num_objects;
  return 0;
}
int cuCtxPushCurrent_v2(void* context) {
  ENTER();
  contexts.push_back(context);
  return 0;
}
int cuCtxPopCurrent_v2(void** context) {
  ENTER();
  NEED_CONTEXT();
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}
int cuCtxGetCurrent(void** context) {
  ENTER();
  *context = contexts.empty() ? nullptr : contexts.back();
  return 0;
}
int cuCtxGetDevice(int* device) {
  ENTER();
  NEED_CONTEXT();
  *device = 0;
  return 0;
}
int cuStreamGetCtx(void*, void** context) {
  ENTER();
  *context = &state();
  return 0;
}
int cuStreamIsCapturing(void* stream, int* status) {
  ENTER();
  *status = stream_at(stream).is_captured ? 1 : 0;
  return 0;
}
int cuStreamCreate(void** stream, unsigned) {
  ENTER();
  NEED_CONTEXT();
  *stream = new Stream;
  ++state().num_objects;
  return 0;
}
int cuStreamDestroy_v2(void* stream) {
  ENTER();
  NEED_CONTEXT();
  delete static_cast<Stream*>(stream);
  --state().num_objects;
  return 0;
}
int cuStreamSynchronize(void* handle) {
  ENTER();
  NEED_CONTEXT();
  Stream& stream = stream_at(handle);
  const int result = drain(stream, stream.work.size());
  stream.work.clear();
  return result;
}
int cuStreamWaitEvent(void* handle, void* event, unsigned) {
  ENTER();
  NEED_CONTEXT();
  const Event recorded = *static_cast<Event*>(event);
  stream_at(handle).work.emplace_back([recorded] { return drain(*recorded.stream, recorded.length); });
  return 0;
}
int cuEventCreate(void** event, unsigned) {
  ENTER();
  NEED_CONTEXT();
  *event = new Event;
  ++state().num_objects;
  return 0;
}
int cuEventDestroy_v2(void* event) {
  ENTER();
  NEED_CONTEXT();
  delete static_cast<Event*>(event);
  --state().num_objects;
  return 0;
}
int cuEventRecord(void* event, void* stream) {
  ENTER();
  NEED_CONTEXT();
  Stream& of = stream_at(stream);
  *static_cast<Event*>(event) = {&of, of.work.size()};
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
int cuModuleLoadData(void** module, const void* text) {
  ENTER();
  NEED_CONTEXT();
  if (std::strstr(static_cast<const char*>(text), ".entry esker_copy(") == nullptr) return kInvalidValue;
  *module = new int;
  ++state().num_objects;
  return 0;
}
int cuModuleUnload(void* module) {
  ENTER();
  NEED_CONTEXT();
  delete static_cast<int*>(module);
  --state().num_objects;
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  ENTER();
  NEED_CONTEXT();
  *function = module;
  return std::strcmp(name, "esker_copy") == 0 ? 0 : kNotFound;
}
int cuLaunchKernel(void*, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned,
                   void* stream, void** parameters, void**) {
  ENTER();
  NEED_CONTEXT();
  if (blocks == 0 || threads == 0) return kInvalidValue;
  const CopyTask task = *static_cast<const CopyTask*>(parameters[0]);
  stream_at(stream).work.emplace_back([task] { return run_kernel(task); });
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, void* stream) {
  ENTER();
  NEED_CONTEXT();
  stream_at(stream).work.emplace_back([=] { return run_row(address_of(to), from, bytes); });
  return 0;
}
int cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, void* stream) {
  ENTER();
  NEED_CONTEXT();
  stream_at(stream).work.emplace_back([=] { return run_row(to, address_of(from), bytes); });
  return 0;
}
int cuMemcpy3DAsync_v2(const Copy3d* copy, void* stream) {
  ENTER();
  NEED_CONTEXT();
  stream_at(stream).work.emplace_back([request = *copy] { return run_copy(request); });
  return 0;
}
// What only programs call.
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
int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  ENTER();
  std::byte* const memory = access(to, bytes);
  if (memory == nullptr) return kIllegalAddress;
  std::memcpy(memory, from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  ENTER();
  const std::byte* const memory = access(from, bytes);
  if (memory == nullptr) return kIllegalAddress;
  std::memcpy(to, memory, bytes);
  return 0;
}
}
