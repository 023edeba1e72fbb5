#include "device/device_memory.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/macros.h"

namespace esker::device {
namespace {

constexpr unsigned kNonBlocking = 1;     // CU_STREAM_NON_BLOCKING: not ordered with the legacy stream
constexpr unsigned kWithoutTiming = 2;   // CU_EVENT_DISABLE_TIMING
constexpr unsigned kForAllContexts = 1;  // CU_MEMHOSTREGISTER_PORTABLE
constexpr unsigned kMapped = 2;          // CU_MEMHOSTREGISTER_DEVICEMAP
constexpr unsigned kThreads = 256;       // of a block
constexpr unsigned kMostBlocks = 2048;   // more do not write to the host faster
constexpr std::size_t kStreams = 4;      // so that small copies overlap

struct PointerFacts {
  Access access = Access::kHost;
  Context context = nullptr;  // null: memory of a pool, which has none
  int device = 0;
};

Address address_of(const void* memory) {
  return static_cast<Address>(reinterpret_cast<std::uintptr_t>(memory));
}

/// Of any address, also one that does not exist. Errors: those of earlier work of the device.
Result<PointerFacts> facts_of(const Driver& driver, const void* memory) {
  PointerFacts facts;
  int type = 0, is_managed = 0;
  std::array<int, 4> attributes{kContextOfPointer, kMemoryTypeOfPointer, kIsManagedPointer, kDeviceOfPointer};
  std::array<void*, 4> values{&facts.context, &type, &is_managed, &facts.device};
  const DriverResult result =
      driver.get_pointer_attributes(attributes.size(), attributes.data(), values.data(), address_of(memory));
  // CUDA_ERROR_INVALID_VALUE, _NOT_INITIALIZED, _DEINITIALIZED, _NO_DEVICE, _INVALID_CONTEXT: not CUDA's
  constexpr std::array<DriverResult, 5> kNotOfCuda{1, 3, 4, 100, 201};
  if (std::find(kNotOfCuda.begin(), kNotOfCuda.end(), result) != kNotOfCuda.end()) return PointerFacts{};
  ESKER_RETURN_IF_ERROR(driver.check(result, "cuPointerGetAttributes"));
  if (is_managed != 0 || type == kMemoryHost) {
    facts.access = Access::kBoth;
  } else if (type == kMemoryDevice) {
    facts.access = Access::kDevice;
  }
  return facts;
}

/// The legacy stream by both of its names, and that of the thread.
bool is_default(const void* stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }

bool are_same(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.data() == b.data() && a.size() == b.size();
}

}  // namespace

/// What the driver makes in one context of the program.
struct DeviceMemory::ContextState {
  Context context = nullptr;
  std::optional<int> retained;             // the device, if this is its primary context
  std::array<Stream, kStreams> streams{};  // copies take them in turn; the last waits for the program's
  std::size_t next_stream = 0;
  Event event = nullptr;
  Module module = nullptr;
  Function kernel = nullptr;  // null: the module cannot be loaded
  bool has_tried_kernel = false;
  bool has_work = false;    // that finish() waits for
  bool has_waited = false;  // the last stream, for something that the others do not wait for yet
};

/// Makes a context the current one of the thread.
class DeviceMemory::CurrentContext {
 public:
  CurrentContext(const Driver& driver, Context context)
      : driver_(driver), status_(driver.check(driver.push_context(context), "cuCtxPushCurrent")) {}
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext() {
    Context popped = nullptr;
    if (status_.ok()) (void)driver_.pop_context(&popped);
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  const Driver& driver_;
  Status status_;
};

Result<Access> DeviceMemory::access_to(const void* memory) {
  const Driver* const driver = Driver::find();
  if (driver == nullptr) return Access::kHost;
  ESKER_ASSIGN_OR_RETURN(const PointerFacts facts, facts_of(*driver, memory));
  return facts.access;
}

Status DeviceMemory::no_access() {
  return error(Code::kInvalidArgument, "expected memory of a GPU, {}",
               Driver::find() == nullptr ? "but this process has loaded neither the CUDA driver "
                                           "(libcuda.so.1) nor HIP (libamdhip64.so.6 or .7)"
                                         : "found an address that its driver does not know");
}

DeviceMemory::DeviceMemory(const Driver& driver) : driver_(driver) {}

DeviceMemory::~DeviceMemory() {
  try {
    (void)finish();
    unpin();
    for (const auto& in : contexts_) {
      {
        const CurrentContext current(driver_, in->context);
        if (current.status().ok()) {
          if (in->module != nullptr) (void)driver_.unload_module(in->module);
          if (in->event != nullptr) (void)driver_.destroy_event(in->event);
          for (const Stream stream : in->streams) {
            if (stream != nullptr) (void)driver_.destroy_stream(stream);
          }
        }
      }
      if (in->retained) (void)driver_.release_primary_context(*in->retained);
    }
  } catch (const std::exception&) {  // no memory for the text of an error
  }
}

/// Memory of a pool: the current context if it is one of the device, else the primary one.
Result<Context> DeviceMemory::context_of_pool(int device) {
  Context current = nullptr;
  int of_current = -1;
  if (driver_.get_current_context(&current) == kSuccess && current != nullptr &&
      driver_.get_device_of_context(&of_current) == kSuccess && of_current == device)
    return current;
  Context primary = nullptr;
  ESKER_RETURN_IF_ERROR(
      driver_.check(driver_.retain_primary_context(&primary, device), "cuDevicePrimaryCtxRetain"));
  const auto kept = in_context(primary, device);  // retains it, too
  (void)driver_.release_primary_context(device);
  ESKER_RETURN_IF_ERROR(kept.status());
  return primary;
}

/// The context that memory belongs to, prepared for copies.
Result<DeviceMemory::ContextState*> DeviceMemory::context_of(const void* memory) {
  if (memory == last_memory_ && last_ != nullptr) return last_;
  ESKER_ASSIGN_OR_RETURN(PointerFacts facts, facts_of(driver_, memory));
  if (facts.access == Access::kHost) {
    return error(Code::kInvalidArgument, "the memory is no longer that of a device: was it freed?");
  }
  if (facts.context == nullptr) {
    ESKER_ASSIGN_OR_RETURN(facts.context, context_of_pool(facts.device));
  }
  ESKER_ASSIGN_OR_RETURN(last_, in_context(facts.context, facts.device));
  last_memory_ = memory;
  return last_;
}

/// Made when it is first seen. A primary context is retained, so that it does not end before this object.
Result<DeviceMemory::ContextState*> DeviceMemory::in_context(Context context, int device) {
  const auto known = std::find_if(contexts_.begin(), contexts_.end(),
                                  [&](const auto& in) { return in->context == context; });
  if (known != contexts_.end()) return known->get();
  contexts_.push_back(std::make_unique<ContextState>());
  ContextState& in = *contexts_.back();
  in.context = context;
  Context primary = nullptr;
  unsigned flags = 0;
  int is_active = 0;  // else to retain it would make it
  const bool may_be_primary =
      driver_.get_primary_context_state(device, &flags, &is_active) == kSuccess && is_active != 0;
  if (may_be_primary && driver_.retain_primary_context(&primary, device) == kSuccess) {
    if (primary == context) {
      in.retained = device;
    } else {
      (void)driver_.release_primary_context(device);
    }
  }
  return &in;
}

/// In the current context, which is that of `in`.
Status DeviceMemory::make_event(ContextState& in) {
  if (in.event != nullptr) return {};
  return driver_.check(driver_.create_event(&in.event, kWithoutTiming), "cuEventCreate");
}

/// In the current context, which is that of `in`.
Status DeviceMemory::make_streams(ContextState& in) {
  for (Stream& stream : in.streams) {
    if (stream != nullptr) continue;
    ESKER_RETURN_IF_ERROR(driver_.check(driver_.create_stream(&stream, kNonBlocking), "cuStreamCreate"));
  }
  return {};
}

/// In the current context, which is that of `in`. All wait for what the last stream waits for.
Status DeviceMemory::take_next_stream(ContextState& in, Stream& next) {
  ESKER_RETURN_IF_ERROR(make_streams(in));
  in.has_work = true;
  if (in.has_waited) {
    ESKER_RETURN_IF_ERROR(make_event(in));
    ESKER_RETURN_IF_ERROR(driver_.check(driver_.record_event(in.event, in.streams.back()), "cuEventRecord"));
    for (std::size_t s = 0; s + 1 < kStreams; ++s) {
      ESKER_RETURN_IF_ERROR(
          driver_.check(driver_.let_stream_wait(in.streams[s], in.event, 0), "cuStreamWaitEvent"));
    }
    in.has_waited = false;
  }
  next = in.streams[in.next_stream];
  in.next_stream = (in.next_stream + 1) % kStreams;
  return {};
}

/// In the current context, which is that of `in`, once. The driver compiles it.
void DeviceMemory::load_kernel(ContextState& in) {
  if (std::exchange(in.has_tried_kernel, true)) return;
  Status loaded = driver_.check(driver_.load_module(&in.module, driver_.kernel), "cuModuleLoadData");
  if (loaded.ok()) {
    loaded = driver_.check(driver_.get_function(&in.kernel, in.module, "esker_copy"), "cuModuleGetFunction");
  }
  if (loaded.ok()) return;
  in.kernel = nullptr;
  note_without_kernel(loaded);
}

/// The default streams are those of the current context, if the thread has one.
Result<Context> DeviceMemory::context_of_stream(void* stream, Context of_memory) const {
  Context context = nullptr;
  if (is_default(stream)) {
    ESKER_RETURN_IF_ERROR(driver_.check(driver_.get_current_context(&context), "cuCtxGetCurrent"));
    return context != nullptr ? context : of_memory;
  }
  ESKER_RETURN_IF_ERROR(
      driver_.check(driver_.get_context_of_stream(static_cast<Stream>(stream), &context), "cuStreamGetCtx"));
  return context;
}

/// Calls action(context) with the context of a stream. Each context has default streams: while one is
/// current, a program may use memory of another one.
Status DeviceMemory::for_each_context_of(void* stream, Context of_memory,
                                         const std::function<Status(Context)>& action) {
  ESKER_ASSIGN_OR_RETURN(const Context of_stream, context_of_stream(stream, of_memory));
  if (of_stream != of_memory && is_default(stream)) ESKER_RETURN_IF_ERROR(action(of_memory));
  return action(of_stream);
}

Status DeviceMemory::wait_for(const void* memory, void* stream) {
  ESKER_ASSIGN_OR_RETURN(ContextState* const in, context_of(memory));
  return for_each_context_of(stream, in->context,
                             [&](Context context) { return wait_for_stream_of(context, stream, *in); });
}

Status DeviceMemory::finish_stream(const void* memory, void* stream) {
  const Driver& driver = *Driver::find();
  DeviceMemory device(driver);
  ESKER_ASSIGN_OR_RETURN(ContextState* const in, device.context_of(memory));
  return device.for_each_context_of(stream, in->context, [&](Context context) -> Status {
    const CurrentContext current(driver, context);
    ESKER_RETURN_IF_ERROR(current.status());
    ESKER_RETURN_IF_ERROR(device.check_not_captured(stream));
    return driver.check(driver.synchronize_stream(static_cast<Stream>(stream)), "cuStreamSynchronize");
  });
}

Status DeviceMemory::fetch(const void* memory, std::span<std::byte> to, void* stream) {
  ESKER_RETURN_IF_ERROR(finish_stream(memory, stream));
  return copy_in_legacy_stream(memory, "cuMemcpyDtoHAsync", [&](const Driver& driver) {
    return driver.copy_to_host(to.data(), address_of(memory), to.size(), nullptr);
  });
}

Status DeviceMemory::fill(void* memory, std::span<const std::byte> bytes, void* stream) {
  ESKER_RETURN_IF_ERROR(finish_stream(memory, stream));
  return copy_in_legacy_stream(memory, "cuMemcpyHtoDAsync", [&](const Driver& driver) {
    return driver.copy_to_device(address_of(memory), bytes.data(), bytes.size(), nullptr);
  });
}

/// Waits for the copy, also if it could not be started.
Status DeviceMemory::copy_in_legacy_stream(const void* memory, const char* call,
                                           const std::function<DriverResult(const Driver&)>& copy) {
  const Driver& driver = *Driver::find();
  DeviceMemory device(driver);
  ESKER_ASSIGN_OR_RETURN(ContextState* const in, device.context_of(memory));
  const CurrentContext current(driver, in->context);
  ESKER_RETURN_IF_ERROR(current.status());
  const DriverResult started = copy(driver), ended = driver.synchronize_stream(nullptr);
  ESKER_RETURN_IF_ERROR(driver.check(started, call));
  return driver.check(ended, "cuStreamSynchronize");
}

/// In the context of the stream.
Status DeviceMemory::check_not_captured(void* stream) const {
  int capture = 0;  // CU_STREAM_CAPTURE_STATUS_NONE
  ESKER_RETURN_IF_ERROR(
      driver_.check(driver_.is_capturing(static_cast<Stream>(stream), &capture), "cuStreamIsCapturing"));
  if (capture == 0) return {};
  return error(Code::kWrongOrder, "the stream is captured in a graph: expected a call after that");
}

/// The event belongs to the context of the program's stream; streams of other contexts may wait for it.
Status DeviceMemory::wait_for_stream_of(Context of_stream, void* stream, ContextState& in) {
  ContextState* recorder = &in;
  if (of_stream != in.context) {
    int device = 0;
    const CurrentContext current(driver_, of_stream);
    ESKER_RETURN_IF_ERROR(current.status());
    ESKER_RETURN_IF_ERROR(driver_.check(driver_.get_device_of_context(&device), "cuCtxGetDevice"));
    ESKER_ASSIGN_OR_RETURN(recorder, in_context(of_stream, device));
  }
  {
    const CurrentContext current(driver_, of_stream);
    ESKER_RETURN_IF_ERROR(current.status());
    ESKER_RETURN_IF_ERROR(check_not_captured(stream));
    ESKER_RETURN_IF_ERROR(make_event(*recorder));
    ESKER_RETURN_IF_ERROR(
        driver_.check(driver_.record_event(recorder->event, static_cast<Stream>(stream)), "cuEventRecord"));
  }
  const CurrentContext current(driver_, in.context);
  ESKER_RETURN_IF_ERROR(current.status());
  ESKER_RETURN_IF_ERROR(make_streams(in));
  in.has_work = in.has_waited = true;
  return driver_.check(driver_.let_stream_wait(in.streams.back(), recorder->event, 0), "cuStreamWaitEvent");
}

void DeviceMemory::note_without_kernel(const Status& reason) {
  if (why_without_kernel_.empty()) why_without_kernel_ = reason.message();
}

/// In the current context. Memory that the program or MPI has pinned already is used as it is.
Status DeviceMemory::register_window(Pin& pin) {
  const std::span<std::byte> window = pin.window;
  const DriverResult result = driver_.register_host(window.data(), window.size(), kForAllContexts | kMapped);
  pin.is_ours = result != kAlreadyRegistered;
  if (pin.is_ours) ESKER_RETURN_IF_ERROR(driver_.check(result, "cuMemHostRegister"));
  const auto address = [&](Address& found, std::size_t at) {
    return driver_.check(driver_.get_device_pointer(&found, window.data() + at, 0),
                         "cuMemHostGetDevicePointer");
  };
  Address last = 0;
  Status found = address(pin.on_device, 0);
  if (found.ok() && !pin.is_ours) found = address(last, window.size() - 1);
  if (found.ok() && (pin.is_ours || last - pin.on_device == window.size() - 1)) return {};
  if (pin.is_ours) (void)driver_.unregister_host(window.data());
  return found.ok() ? driver_.check(result, "cuMemHostRegister") : found;
}

/// Null: the window cannot be pinned. In the current context, which is that of `in`.
const DeviceMemory::Pin* DeviceMemory::pin(ContextState& in, std::span<std::byte> window) {
  const auto is_it = [&](const Pin& each) { return each.in == &in && are_same(each.window, window); };
  const auto known = std::find_if(pins_.begin(), pins_.end(), is_it);
  if (known != pins_.end()) return &*known;
  if (std::any_of(not_pinned_.begin(), not_pinned_.end(), is_it)) return nullptr;
  pins_.reserve(pins_.size() + 1);
  Pin made{window, 0, &in, true};
  if (const Status pinned = register_window(made); !pinned.ok()) {
    note_without_kernel(pinned);
    not_pinned_.push_back(made);
    return nullptr;
  }
  if (made.is_ours) pinned_bytes_ += static_cast<Index>(window.size());
  pins_.push_back(made);
  return &pins_.back();
}

void DeviceMemory::unregister(const Pin& pin) noexcept {
  if (!pin.is_ours) return;
  Context popped = nullptr;
  const bool is_current = driver_.push_context(pin.in->context) == kSuccess;
  if (driver_.unregister_host(pin.window.data()) == kSuccess)
    pinned_bytes_ -= static_cast<Index>(pin.window.size());
  if (is_current) (void)driver_.pop_context(&popped);
}

void DeviceMemory::unpin() noexcept {
  for (const Pin& pin : pins_) unregister(pin);
  pins_.clear();
  not_pinned_.clear();
}

Status DeviceMemory::start_from_device(const void* memory, Index element_bytes, const std::byte* source,
                                       const SampleMap& source_map, std::byte* target,
                                       const SampleMap& target_map, std::span<std::byte> window) {
  return start(Direction::kFromDevice, memory,
               {element_bytes, address_of(source), &source_map, address_of(target), &target_map}, target,
               window);
}

Status DeviceMemory::start_to_device(const void* memory, Index element_bytes, const std::byte* source,
                                     const SampleMap& source_map, std::byte* target,
                                     const SampleMap& target_map, std::span<std::byte> window) {
  return start(Direction::kToDevice, memory,
               {element_bytes, address_of(source), &source_map, address_of(target), &target_map}, source,
               window);
}

Status DeviceMemory::start(Direction direction, const void* memory, SampleCopy copy,
                           const std::byte* host_side, std::span<std::byte> window) {
  ESKER_ASSIGN_OR_RETURN(ContextState* const in, context_of(memory));
  const CurrentContext current(driver_, in->context);
  ESKER_RETURN_IF_ERROR(current.status());
  Stream stream = nullptr;
  ESKER_RETURN_IF_ERROR(take_next_stream(*in, stream));
  if (window.empty()) return start_boxes(stream, direction, copy);
  load_kernel(*in);
  const Pin* const pinned = in->kernel != nullptr ? pin(*in, window) : nullptr;
  if (pinned == nullptr) {
    copied_without_kernel_bytes_ += copy.size_bytes();
    return start_boxes(stream, direction, copy);
  }
  (direction == Direction::kToDevice ? copy.from : copy.to) =
      pinned->on_device + static_cast<Address>(host_side - window.data());
  return start_kernel(in->kernel, stream, copy);
}

Status DeviceMemory::start_kernel(Function kernel, Stream stream, const SampleCopy& copy) {
  Status status;
  for_each_task(copy, [&](const CopyTask& task) {
    if (!status.ok()) return;
    const unsigned blocks = std::min(kMostBlocks, (task.num_units + kThreads - 1) / kThreads);
    std::array<void*, 1> parameters{const_cast<CopyTask*>(&task)};  // only read
    status = driver_.check(
        driver_.launch_kernel(kernel, blocks, 1, 1, kThreads, 1, 1, 0, stream, parameters.data(), nullptr),
        "cuLaunchKernel");
  });
  return status;
}

namespace {

void* on_host(Address address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

Copy3d::Side side_of(bool is_on_device, Address address, Index pitch_bytes, Index height) {
  Copy3d::Side side;
  side.memory_type = is_on_device ? kMemoryDevice : kMemoryHost;
  side.device = is_on_device ? address : 0;
  side.host = is_on_device ? nullptr : on_host(address);
  side.pitch_bytes = static_cast<std::size_t>(pitch_bytes);
  side.height = static_cast<std::size_t>(height);
  return side;
}

}  // namespace

Status DeviceMemory::start_boxes(Stream stream, Direction direction, const SampleCopy& copy) {
  const bool to_device = direction == Direction::kToDevice;
  Status status;
  for_each_copy_box(copy, [&](const CopyBox& box) {
    if (!status.ok()) return;
    const Address from = copy.from + static_cast<Address>(box.from_bytes),
                  to = copy.to + static_cast<Address>(box.to_bytes);
    const auto row_bytes = static_cast<std::size_t>(box.row_bytes);
    if (box.rows == 1 && box.planes == 1) {  // of any size, where a pitch has 31 bits
      status = to_device ? driver_.check(driver_.copy_to_device(to, on_host(from), row_bytes, stream),
                                         "cuMemcpyHtoDAsync")
                         : driver_.check(driver_.copy_to_host(on_host(to), from, row_bytes, stream),
                                         "cuMemcpyDtoHAsync");
      return;
    }
    Copy3d request;
    request.from = side_of(!to_device, from, box.from_pitch_bytes, std::max(box.from_plane_rows, box.rows));
    request.to = side_of(to_device, to, box.to_pitch_bytes, std::max(box.to_plane_rows, box.rows));
    request.width_bytes = row_bytes;
    request.height = static_cast<std::size_t>(box.rows);
    request.depth = static_cast<std::size_t>(box.planes);
    status = driver_.check(driver_.copy_3d(&request, stream), "cuMemcpy3DAsync");
  });
  return status;
}

Status DeviceMemory::finish() {
  last_memory_ = nullptr;                                             // it may be freed, and be another one
  std::erase_if(pins_, [](const Pin& pin) { return !pin.is_ours; });  // their owners may end them
  DriverResult failed = kSuccess;
  const char* call = nullptr;
  for (const auto& in : contexts_) {
    if (!in->has_work) continue;
    Context popped = nullptr;
    DriverResult result = driver_.push_context(in->context);
    const bool is_current = result == kSuccess;
    for (const Stream stream : in->streams) {
      if (!is_current || stream == nullptr) continue;
      if (const DriverResult ended = driver_.synchronize_stream(stream); result == kSuccess) result = ended;
    }
    if (is_current) (void)driver_.pop_context(&popped);
    in->has_work = in->has_waited = false;
    if (result == kSuccess || failed != kSuccess) continue;
    failed = result;
    call = is_current ? "cuStreamSynchronize" : "cuCtxPushCurrent";
  }
  return call == nullptr ? Status() : driver_.check(failed, call);
}

}  // namespace esker::device
