// DeviceCopies: the samples of an exchange that are in memory of a device.
//
// Copies are started, and then finished together: before a message leaves, and before a buffer is stored or
// left to another rank.
#pragma once

#include <cstddef>

#include "esker/types/patch.hpp"
#include "esker/types/status.hpp"
#include "exchange/buffers.h"
#include "plan/segment_maps.h"

namespace esker {

/// Whether only a device can access memory that was put or is to be filled. If a device can access it at all,
/// `buffers` get a device, whose copies and finish() wait for what `stream` has to do now; null: the legacy
/// stream. `is_claimed`: the program says that a device can; kInvalidArgument if none can. Errors of the
/// driver, also of earlier work of the device. Local; may throw.
Result<bool> find_on_device(const void* memory, bool is_claimed, void* stream, ExchangeBuffers& buffers);
/// Returns when the streams that find_on_device() was told of have done that: before the host accesses
/// managed or pinned memory. Errors of the driver. Local.
Status finish_streams(ExchangeBuffers& buffers);

class DeviceCopies {
 public:
  /// `buffers`: where messages and pieces are; its device() was made if any patch is on a device.
  explicit DeviceCopies(ExchangeBuffers& buffers) : buffers_(buffers) {}
  DeviceCopies(const DeviceCopies&) = delete;
  DeviceCopies& operator=(const DeviceCopies&) = delete;
  ~DeviceCopies();

  /// Whether copies were started since the last finish().
  [[nodiscard]] bool has_started() const { return has_started_; }
  /// Starts to copy a segment of a patch to `target`, or from `source`. Errors name the call of the driver
  /// and the patch.
  Status gather(const PatchCopy& copy, const Patch& patch, std::byte* target);
  Status deliver(const PatchCopy& copy, const std::byte* source, const MutablePatch& patch);
  /// Returns when all copies that were started have ended; at once if there are none.
  Status finish();

 private:
  ExchangeBuffers& buffers_;
  bool has_started_ = false;
};

}  // namespace esker
