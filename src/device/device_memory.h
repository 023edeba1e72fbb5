// DeviceMemory: memory of accelerators, and copies of samples between it and windows of the host.
//
// One kernel writes samples in any order that a layout has directly into host memory that is pinned. Where a
// window cannot be pinned, or the kernel cannot be loaded, the driver copies boxes of rows. Copies are
// started one after the other in a separate stream, and finish() waits for them. Local; MPI is not
// involved. One thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/driver.h"
#include "device/make_tasks.h"
#include "esker/types/status.hpp"
#include "grid/copy_samples.h"

namespace esker::device {

class DeviceMemory {
 public:
  /// Whether only a device can access this memory. False for memory that is managed or pinned, which the host
  /// accesses, and wherever the process has loaded no driver. About 0.1 us.
  [[nodiscard]] static bool holds(const void* memory);

  /// Copies bytes to memory of a device, which holds() is true for, after what its legacy stream has to do
  /// now. Returns when they are there.
  static Status fill(void* memory, std::span<const std::byte> bytes);

  /// `driver`: Driver::find(). Pins at most this many bytes of windows.
  DeviceMemory(const Driver& driver, Index most_pinned_bytes);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  /// Waits for all copies, and frees what the driver has made for it.
  ~DeviceMemory();

  /// Copies that are started later wait for what `stream` has to do now; null: the legacy stream. `memory`: a
  /// device address of the stream's context.
  Status wait_for(const void* memory, void* stream);

  /// Starts a copy of samples of a device to addresses in `window`, or from there. The window is pinned, and
  /// remains so until unpin(). The maps are not needed afterwards.
  Status start_from_device(Index element_bytes, const std::byte* source, const SampleMap& source_map,
                           std::byte* target, const SampleMap& target_map, std::span<std::byte> window);
  Status start_to_device(Index element_bytes, const std::byte* source, const SampleMap& source_map,
                         std::byte* target, const SampleMap& target_map, std::span<std::byte> window);
  /// Returns when all copies that were started have ended.
  Status finish();

  /// Unpins all windows, before their memory is freed. Copies have ended.
  void unpin() noexcept;
  /// The same for one window; nothing if it is not pinned.
  void unpin(std::span<std::byte> window) noexcept;

  [[nodiscard]] Index pinned_bytes() const { return pinned_bytes_; }
  /// Of all copies that were started.
  [[nodiscard]] Index copied_bytes() const { return copied_bytes_; }
  /// Of those, the bytes that the driver copied because the kernel could not.
  [[nodiscard]] Index copied_without_kernel_bytes() const { return copied_without_kernel_bytes_; }
  /// Why; empty if the kernel copied all.
  [[nodiscard]] const std::string& why_without_kernel() const { return why_without_kernel_; }

 private:
  struct InContext;
  class Current;
  struct Direction {
    bool to_device;
  };
  Status start(Direction direction, const std::byte* on_device, SampleCopy copy, const std::byte* on_host,
               std::span<std::byte> window);
  Status start_kernel(InContext& in, const SampleCopy& copy);
  Status start_boxes(InContext& in, Direction direction, const SampleCopy& copy);
  Result<InContext*> context_of(const void* memory);
  Status prepare(InContext& in);
  [[nodiscard]] bool pin(std::span<std::byte> window);
  void unregister(std::span<std::byte> window) noexcept;
  void copy_without_kernel(const Status& reason, Index bytes);

  const Driver& driver_;
  Index most_pinned_bytes_;
  std::vector<std::unique_ptr<InContext>> contexts_;
  std::vector<std::span<std::byte>> pinned_, not_pinned_;
  Index pinned_bytes_ = 0, copied_bytes_ = 0, copied_without_kernel_bytes_ = 0;
  std::string why_without_kernel_;
};

}  // namespace esker::device
