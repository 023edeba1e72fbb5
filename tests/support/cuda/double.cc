#include "double.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device/driver.h"
#include "ptx.h"
#include "results.h"

// The functions are found by name, and declared nowhere.
#pragma GCC diagnostic ignored "-Wmissing-declarations"

namespace {

using esker::device::Address;
using esker::device::Copy3d;
using namespace esker::cuda_double;  // NOLINT: results, kernels

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
  std::string ptx_error;  // of the last module

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
std::byte* access(Address first, std::size_t bytes, bool is_unpinned_allowed = false) {
  const MemoryRange range = find_memory(first, bytes);
  if (range.bytes > 0) return range.at + (first - range.first);
  return is_unpinned_allowed ? on_host(first) : nullptr;
}

int run(const Kernel& kernel, const Launch& launch) {
  const LaunchResult ran = run_kernel(kernel, launch, find_memory);
  state().kernel_bytes += ran.stored_bytes;
  return ran.result;
}

/// Whether a GPU has so many threads and blocks.
bool is_possible(const Kernel& kernel, const Launch& launch) {
  constexpr std::array<unsigned, 3> kMostBlocks{(1U << 31) - 1, 65535, 65535}, kMostThreads{1024, 1024, 64};
  std::size_t threads = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    if (launch.blocks[a] == 0 || launch.blocks[a] > kMostBlocks[a]) return false;
    if (launch.threads[a] == 0 || launch.threads[a] > kMostThreads[a]) return false;
    threads *= launch.threads[a];
  }
  return threads <= kernel.most_threads;
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
int cuGetErrorString(int result, const char** text) {
  *text = result == kInvalidPtx ? state().ptx_error.c_str() : "an error of the tests' driver";
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
  PtxModule decoded = esker::cuda_double::decode_ptx(static_cast<const char*>(text));
  state().ptx_error = decoded.error;
  if (!decoded.error.empty()) return kInvalidPtx;
  *module = new PtxModule(std::move(decoded));
  ++state().num_objects;
  return 0;
}
int cuModuleUnload(void* module) {
  ENTER();
  NEED_CONTEXT();
  delete static_cast<PtxModule*>(module);
  --state().num_objects;
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  ENTER();
  NEED_CONTEXT();
  for (const Kernel& kernel : static_cast<PtxModule*>(module)->kernels) {
    *function = const_cast<Kernel*>(&kernel);
    if (kernel.name == name) return 0;
  }
  return kNotFound;
}
int cuLaunchKernel(void* function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                   unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned, void* stream,
                   void** parameters, void**) {
  ENTER();
  NEED_CONTEXT();
  const Kernel& kernel = *static_cast<const Kernel*>(function);
  if (parameters == nullptr && !kernel.parameters.empty()) return kInvalidValue;
  Launch launch{{blocks_x, blocks_y, blocks_z}, {threads_x, threads_y, threads_z}, {}};
  if (!is_possible(kernel, launch)) return kInvalidValue;
  launch.parameters.resize(kernel.parameter_bytes);
  for (std::size_t n = 0; n < kernel.parameters.size(); ++n) {
    const Kernel::Parameter& each = kernel.parameters[n];
    std::memcpy(launch.parameters.data() + each.offset, parameters[n], each.bytes);
  }
  stream_at(stream).work.emplace_back([&kernel, launch] { return run(kernel, launch); });
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
