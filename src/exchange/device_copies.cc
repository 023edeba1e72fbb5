#include "exchange/device_copies.h"

#include <utility>

#include "base/macros.h"
#include "device/device_memory.h"

namespace esker {

Result<bool> find_on_device(const void* memory, void* stream, ExchangeBuffers& buffers,
                            Index most_pinned_bytes) {
  const device::Driver* const driver = device::Driver::find();
  if (driver == nullptr || !device::DeviceMemory::holds(memory)) return false;
  ESKER_RETURN_IF_ERROR(buffers.device_of(*driver, most_pinned_bytes).wait_for(memory, stream));
  return true;
}

Status DeviceCopies::gather(const PatchCopy& copy, const Patch& patch, std::byte* target) {
  has_started_ = true;
  std::byte* const to = target + copy.in_place.first_bytes;
  return buffers_.device()
      ->start_from_device(copy.element_bytes,
                          static_cast<const std::byte*>(patch.data) + copy.in_patch.first_bytes,
                          copy.in_patch.samples, to, copy.in_place.samples, buffers_.window_of(to))
      .with_context("patch " + patch.box.to_string() + " on a device");
}

Status DeviceCopies::deliver(const PatchCopy& copy, const std::byte* source, const MutablePatch& patch) {
  has_started_ = true;
  const std::byte* const from = source + copy.in_place.first_bytes;
  return buffers_.device()
      ->start_to_device(copy.element_bytes, from, copy.in_place.samples,
                        static_cast<std::byte*>(patch.data) + copy.in_patch.first_bytes,
                        copy.in_patch.samples, buffers_.window_of(from))
      .with_context("patch " + patch.box.to_string() + " on a device");
}

Status DeviceCopies::finish() {
  if (!std::exchange(has_started_, false)) return {};
  return buffers_.device()->finish().with_context("patches on a device");
}

}  // namespace esker
