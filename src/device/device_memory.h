// DeviceMemory: memory of accelerators, and copies of samples between it and windows of the host.
//
// One kernel writes samples in any order that a layout has directly into host memory that is pinned. Where a
// window cannot be pinned, or the kernel cannot be loaded, the driver copies boxes of rows. Copies are
// started in several streams, and finish() waits for them. Local; MPI is not involved. One thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/driver.h"
#include "device/make_tasks.h"
#include "esker/types/status.hpp"
#include "grid/copy_samples.h"

namespace esker::device {

/// Which processors can access memory.
enum class Access {
  kHost,    ///< also memory of the system that a device can access without the driver's help
  kBoth,    ///< managed or pinned: a stream of the program may still write to it
  kDevice,  ///< only a device
};

class DeviceMemory {
 public:
  /// kHost wherever the process has loaded no driver. About 0.1 us. Errors: those of earlier work of the
  /// device, which the driver reports at any call.
  static Result<Access> access_to(const void* memory);
  /// kInvalidArgument: no device can access memory that the program says is that of a device.
  static Status no_access();
  /// Returns when `stream` has done what it has to do now; null: the legacy stream. `memory`: one that a
  /// device can access. Errors: those of wait_for().
  static Status finish_stream(const void* memory, void* stream);
  /// Copies dense bytes from memory of a device, or to it, after finish_stream(), in the legacy stream of
  /// that memory's context. Returns when they are there. Errors: those of the driver.
  static Status fetch(const void* memory, std::span<std::byte> to, void* stream);
  static Status fill(void* memory, std::span<const std::byte> bytes, void* stream);

  /// `driver`: Driver::find().
  explicit DeviceMemory(const Driver& driver);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  /// Waits for all copies, and frees what the driver has made for it, unless the program has destroyed its
  /// context.
  ~DeviceMemory();

  /// Copies that are started later wait for what `stream` has to do now, and so does finish(); null: the
  /// legacy stream of the current context, and that of the memory's. `memory`: one that a device can access.
  /// kWrongOrder: the stream is captured in a graph.
  Status wait_for(const void* memory, void* stream);

  /// Starts a copy of samples of a device to addresses in `window`, or from there. All memory must live, and
  /// not change, until finish(). Errors: those of the driver, kInvalidArgument for memory that was freed;
  /// other copies may be under way then. The window is pinned, and remains so until unpin(); into an empty
  /// one the driver copies. `memory`: a device address, the same for the samples of a patch. The maps are not
  /// needed afterwards.
  Status start_from_device(const void* memory, Index element_bytes, const std::byte* source,
                           const SampleMap& source_map, std::byte* target, const SampleMap& target_map,
                           std::span<std::byte> window);
  Status start_to_device(const void* memory, Index element_bytes, const std::byte* source,
                         const SampleMap& source_map, std::byte* target, const SampleMap& target_map,
                         std::span<std::byte> window);
  /// Returns when all copies that were started, and what wait_for() was told of, have ended, also after an
  /// error of the driver, which it returns.
  Status finish();

  /// Unpins all windows, before their memory is freed. Copies have ended.
  void unpin() noexcept;

  /// Of all windows, those of other ranks of the node included, which these count in their budgets.
  [[nodiscard]] Index pinned_bytes() const { return pinned_bytes_; }
  /// What the driver copied to or from windows because the kernel could not.
  [[nodiscard]] Index copied_without_kernel_bytes() const { return copied_without_kernel_bytes_; }
  /// Why the kernel could not; empty if it copied all.
  [[nodiscard]] const std::string& why_without_kernel() const { return why_without_kernel_; }

 private:
  struct ContextState;
  class CurrentContext;
  enum class Direction { kFromDevice, kToDevice };
  struct Pin {
    std::span<std::byte> window;
    Address on_device = 0;  // in this context; another one may have another address
    ContextState* in = nullptr;
    bool is_ours = true;  // false: the program, or MPI, has pinned it
  };
  Status start(Direction direction, const void* memory, SampleCopy copy, const std::byte* host_side,
               std::span<std::byte> window);
  Status start_kernel(Function kernel, Stream stream, const SampleCopy& copy);
  Status start_boxes(Stream stream, Direction direction, const SampleCopy& copy);
  Result<ContextState*> context_of(const void* memory);
  Result<Context> context_of_pool(int device);
  Result<Context> context_of_stream(void* stream, Context of_memory) const;
  Status for_each_context_of(void* stream, Context of_memory, const std::function<Status(Context)>& action);
  [[nodiscard]] Status check_not_captured(void* stream) const;
  static Status copy_in_legacy_stream(const void* memory, const char* call,
                                      const std::function<DriverResult(const Driver&)>& copy);
  Status wait_for_stream_of(Context of_stream, void* stream, ContextState& in);
  Result<ContextState*> in_context(Context context, int device);
  Status make_event(ContextState& in);
  Status make_streams(ContextState& in);
  Status take_next_stream(ContextState& in, Stream& next);
  void load_kernel(ContextState& in);
  [[nodiscard]] const Pin* pin(ContextState& in, std::span<std::byte> window);
  Status register_window(Pin& pin);
  void unregister(const Pin& pin) noexcept;
  void note_without_kernel(const Status& reason);

  const Driver& driver_;
  std::vector<std::unique_ptr<ContextState>> contexts_;
  const void* last_memory_ = nullptr;  // whose context is last_, until finish()
  ContextState* last_ = nullptr;
  std::vector<Pin> pins_, not_pinned_;
  Index pinned_bytes_ = 0, copied_without_kernel_bytes_ = 0;
  std::string why_without_kernel_;
};

}  // namespace esker::device
