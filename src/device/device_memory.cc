#include "device/device_memory.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/macros.h"
#include "device/copy_kernel_ptx.h"

namespace esker::device {
namespace {

constexpr unsigned kNonBlocking = 1;     // CU_STREAM_NON_BLOCKING: not ordered with the legacy stream
constexpr unsigned kWithoutTiming = 2;   // CU_EVENT_DISABLE_TIMING
constexpr unsigned kForAllContexts = 1;  // CU_MEMHOSTREGISTER_PORTABLE
constexpr unsigned kMapped = 2;          // CU_MEMHOSTREGISTER_DEVICEMAP
constexpr unsigned kThreads = 256;       // of a block
constexpr unsigned kMostBlocks = 2048;   // more do not write to the host faster

struct PointerFacts {
  bool is_on_device = false;
  Context context = nullptr;  // null: memory of a pool, which has none
  int device = 0;
};

/// Of an address that may be any.
PointerFacts facts_of(const Driver& driver, const void* memory) {
  PointerFacts facts;
  int type = 0, is_managed = 0;
  std::array<int, 4> attributes{1, 2, 8, 9};  // CU_POINTER_ATTRIBUTE_CONTEXT, _MEMORY_TYPE, _IS_MANAGED,
                                              // _DEVICE_ORDINAL
  std::array<void*, 4> values{&facts.context, &type, &is_managed, &facts.device};
  const auto address = static_cast<Address>(reinterpret_cast<std::uintptr_t>(memory));
  if (driver.get_pointer_attributes(attributes.size(), attributes.data(), values.data(), address) != kSuccess)
    return {};
  facts.is_on_device = type == kMemoryDevice && is_managed == 0;
  return facts;
}

Address address_of(const void* memory) {
  return static_cast<Address>(reinterpret_cast<std::uintptr_t>(memory));
}

}  // namespace

/// What the driver makes in one context of the program.
struct DeviceMemory::InContext {
  Context context = nullptr;
  std::optional<int> retained;  // the device, if its primary context was retained
  Stream stream = nullptr;
  Event event = nullptr;
  Module module = nullptr;
  Function kernel = nullptr;  // null: the module cannot be loaded
  bool is_prepared = false;
  bool has_started = false;  // copies that finish() waits for
};

/// Makes a context the current one of the thread.
class DeviceMemory::Current {
 public:
  Current(const Driver& driver, Context context)
      : driver_(driver), status_(driver.check(driver.push_context(context), "cuCtxPushCurrent")) {}
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current() {
    Context popped = nullptr;
    if (status_.ok()) (void)driver_.pop_context(&popped);
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  const Driver& driver_;
  Status status_;
};

bool DeviceMemory::holds(const void* memory) {
  const Driver* const driver = Driver::find();
  return driver != nullptr && facts_of(*driver, memory).is_on_device;
}

Status DeviceMemory::fill(void* memory, std::span<const std::byte> bytes) {
  DeviceMemory device(*Driver::find(), 0);
  ESKER_RETURN_IF_ERROR(device.wait_for(memory, nullptr));
  const SampleMap map = SampleMap::dense(Box::from_extent(1, {static_cast<Index>(bytes.size())}), 1);
  ESKER_RETURN_IF_ERROR(
      device.start_to_device(1, bytes.data(), map, static_cast<std::byte*>(memory), map, {}));
  return device.finish();
}

DeviceMemory::DeviceMemory(const Driver& driver, Index most_pinned_bytes)
    : driver_(driver), most_pinned_bytes_(most_pinned_bytes) {}

DeviceMemory::~DeviceMemory() {
  (void)finish();
  unpin();
  for (const auto& in : contexts_) {
    {
      const Current current(driver_, in->context);
      if (in->module != nullptr) (void)driver_.unload_module(in->module);
      if (in->event != nullptr) (void)driver_.destroy_event(in->event);
      if (in->stream != nullptr) (void)driver_.destroy_stream(in->stream);
    }
    if (in->retained) (void)driver_.release_primary_context(*in->retained);
  }
}

/// Made when it is first seen.
Result<DeviceMemory::InContext*> DeviceMemory::context_of(const void* memory) {
  PointerFacts facts = facts_of(driver_, memory);
  std::optional<int> retained;
  if (facts.context == nullptr) {
    ESKER_RETURN_IF_ERROR(driver_.check(driver_.retain_primary_context(&facts.context, facts.device),
                                        "cuDevicePrimaryCtxRetain"));
    retained = facts.device;
  }
  const auto known = std::find_if(contexts_.begin(), contexts_.end(),
                                  [&](const auto& in) { return in->context == facts.context; });
  if (known != contexts_.end()) {
    if (retained) (void)driver_.release_primary_context(facts.device);  // its first owner keeps it
    return known->get();
  }
  contexts_.push_back(std::make_unique<InContext>());
  contexts_.back()->context = facts.context;
  contexts_.back()->retained = retained;
  return contexts_.back().get();
}

/// In the current context, which is that of `in`.
Status DeviceMemory::prepare(InContext& in) {
  if (in.is_prepared) return {};
  if (in.stream == nullptr)
    ESKER_RETURN_IF_ERROR(driver_.check(driver_.create_stream(&in.stream, kNonBlocking), "cuStreamCreate"));
  if (in.event == nullptr)
    ESKER_RETURN_IF_ERROR(driver_.check(driver_.create_event(&in.event, kWithoutTiming), "cuEventCreate"));
  in.is_prepared = true;
  Status loaded = driver_.check(driver_.load_module(&in.module, kCopyKernelPtx), "cuModuleLoadData");
  if (loaded.ok()) {
    loaded = driver_.check(driver_.get_function(&in.kernel, in.module, "esker_copy"), "cuModuleGetFunction");
  }
  if (!loaded.ok()) copy_without_kernel(loaded, 0);
  return {};
}

Status DeviceMemory::wait_for(const void* memory, void* stream) {
  ESKER_ASSIGN_OR_RETURN(InContext* const in, context_of(memory));
  const Current current(driver_, in->context);
  ESKER_RETURN_IF_ERROR(current.status());
  ESKER_RETURN_IF_ERROR(prepare(*in));
  ESKER_RETURN_IF_ERROR(
      driver_.check(driver_.record_event(in->event, static_cast<Stream>(stream)), "cuEventRecord"));
  return driver_.check(driver_.let_stream_wait(in->stream, in->event, 0), "cuStreamWaitEvent");
}

void DeviceMemory::copy_without_kernel(const Status& reason, Index bytes) {
  if (why_without_kernel_.empty()) why_without_kernel_ = reason.message();
  copied_without_kernel_bytes_ += bytes;
}

/// Whether the window is pinned now; in the current context.
bool DeviceMemory::pin(std::span<std::byte> window) {
  const auto is_it = [&](std::span<std::byte> each) { return each.data() == window.data(); };
  if (std::any_of(pinned_.begin(), pinned_.end(), is_it)) return true;
  if (window.empty() || std::any_of(not_pinned_.begin(), not_pinned_.end(), is_it)) return false;
  const auto bytes = static_cast<Index>(window.size());
  Status pinned;
  if (bytes > most_pinned_bytes_ - pinned_bytes_) {
    pinned = Status(Code::kOutOfMemory, "no more memory may be pinned than memory_budget");
  } else {
    pinned_.reserve(pinned_.size() + 1);
    pinned = driver_.check(driver_.register_host(window.data(), window.size(), kForAllContexts | kMapped),
                           "cuMemHostRegister");
  }
  if (!pinned.ok()) {
    not_pinned_.push_back(window);
    copy_without_kernel(pinned, 0);
    return false;
  }
  pinned_.push_back(window);
  pinned_bytes_ += bytes;
  return true;
}

void DeviceMemory::unregister(std::span<std::byte> window) noexcept {
  const Current current(driver_, contexts_.front()->context);
  (void)driver_.unregister_host(window.data());
  pinned_bytes_ -= static_cast<Index>(window.size());
}

void DeviceMemory::unpin() noexcept {
  for (const std::span<std::byte> window : pinned_) unregister(window);
  pinned_.clear();
  not_pinned_.clear();
}

void DeviceMemory::unpin(std::span<std::byte> window) noexcept {
  const auto is_it = [&](std::span<std::byte> each) { return each.data() == window.data(); };
  if (std::erase_if(pinned_, is_it) > 0) unregister(window);
  std::erase_if(not_pinned_, is_it);
}

Status DeviceMemory::start_from_device(Index element_bytes, const std::byte* source,
                                       const SampleMap& source_map, std::byte* target,
                                       const SampleMap& target_map, std::span<std::byte> window) {
  return start({false}, source,
               {element_bytes, address_of(source), &source_map, address_of(target), &target_map}, target,
               window);
}

Status DeviceMemory::start_to_device(Index element_bytes, const std::byte* source,
                                     const SampleMap& source_map, std::byte* target,
                                     const SampleMap& target_map, std::span<std::byte> window) {
  return start({true}, target,
               {element_bytes, address_of(source), &source_map, address_of(target), &target_map}, source,
               window);
}

Status DeviceMemory::start(Direction direction, const std::byte* on_device, SampleCopy copy,
                           const std::byte* on_host, std::span<std::byte> window) {
  ESKER_ASSIGN_OR_RETURN(InContext* const in, context_of(on_device));
  const Current current(driver_, in->context);
  ESKER_RETURN_IF_ERROR(current.status());
  ESKER_RETURN_IF_ERROR(prepare(*in));
  in->has_started = true;
  const Index bytes = copy.size_bytes();
  copied_bytes_ += bytes;
  if (in->kernel == nullptr || !pin(window)) {
    copied_without_kernel_bytes_ += bytes;
    return start_boxes(*in, direction, copy);
  }
  Address base = 0;
  ESKER_RETURN_IF_ERROR(
      driver_.check(driver_.get_device_pointer(&base, window.data(), 0), "cuMemHostGetDevicePointer"));
  (direction.to_device ? copy.from : copy.to) = base + static_cast<Address>(on_host - window.data());
  return start_kernel(*in, copy);
}

Status DeviceMemory::start_kernel(InContext& in, const SampleCopy& copy) {
  Status status;
  for_each_task(copy, [&](const CopyTask& task) {
    if (!status.ok()) return;
    const unsigned blocks = std::min(kMostBlocks, (task.num_units + kThreads - 1) / kThreads);
    std::array<void*, 1> parameters{const_cast<CopyTask*>(&task)};  // only read
    status = driver_.check(driver_.launch_kernel(in.kernel, blocks, 1, 1, kThreads, 1, 1, 0, in.stream,
                                                 parameters.data(), nullptr),
                           "cuLaunchKernel");
  });
  return status;
}

Status DeviceMemory::start_boxes(InContext& in, Direction direction, const SampleCopy& copy) {
  Status status;
  for_each_copy_box(copy, [&](const CopyBox& box) {
    if (!status.ok()) return;
    Copy3d request;
    const auto set = [](Copy3d::Side& side, bool is_on_device, Address address, Index pitch, Index height) {
      side.memory_type = is_on_device ? kMemoryDevice : kMemoryHost;
      if (is_on_device) side.device = address;
      if (!is_on_device) side.host = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
      side.pitch_bytes = static_cast<std::size_t>(pitch);
      side.height = static_cast<std::size_t>(height);
    };
    set(request.from, !direction.to_device, copy.from + static_cast<Address>(box.from_bytes),
        std::max(box.from_pitch_bytes, box.row_bytes), std::max(box.from_plane_rows, box.rows));
    set(request.to, direction.to_device, copy.to + static_cast<Address>(box.to_bytes),
        std::max(box.to_pitch_bytes, box.row_bytes), std::max(box.to_plane_rows, box.rows));
    request.width_bytes = static_cast<std::size_t>(box.row_bytes);
    request.height = static_cast<std::size_t>(box.rows);
    request.depth = static_cast<std::size_t>(box.planes);
    status = driver_.check(driver_.copy_3d(&request, in.stream), "cuMemcpy3DAsync");
  });
  return status;
}

Status DeviceMemory::finish() {
  Status status;
  for (const auto& in : contexts_) {
    if (!std::exchange(in->has_started, false)) continue;
    const Current current(driver_, in->context);
    const Status done = current.status().ok()
                            ? driver_.check(driver_.synchronize_stream(in->stream), "cuStreamSynchronize")
                            : current.status();
    if (status.ok()) status = done;
  }
  return status;
}

}  // namespace esker::device
