#include "exchange/device_copies.h"

#include <exception>
#include <utility>

#include "base/macros.h"
#include "device/device_memory.h"

namespace esker {
namespace {

template <class AnyPatch>
Status with_patch(Status status, const AnyPatch& patch) {
  return status.ok() ? status : status.with_context("patch " + patch.box.to_string() + " on a device");
}

}  // namespace

Result<bool> find_on_device(const void* memory, bool is_claimed, void* stream, ExchangeBuffers& buffers) {
  ESKER_ASSIGN_OR_RETURN(const device::Access access, device::DeviceMemory::access_to(memory));
  if (access == device::Access::kHost) {
    if (is_claimed) return device::DeviceMemory::no_access();
    return false;
  }
  device::DeviceMemory& device = buffers.device_of(*device::Driver::find());
  ESKER_RETURN_IF_ERROR(device.wait_for(memory, stream));
  return access == device::Access::kDevice;
}

Status finish_streams(ExchangeBuffers& buffers) {
  return buffers.device() == nullptr ? Status() : buffers.device()->finish();
}

DeviceCopies::~DeviceCopies() {
  try {
    (void)finish();
  } catch (const std::exception&) {  // no memory for the text of an error
  }
}

Status DeviceCopies::gather(const PatchCopy& copy, const Patch& patch, std::byte* target) {
  has_started_ = true;
  std::byte* const to = target + copy.in_place.first_bytes;
  const auto* const from = static_cast<const std::byte*>(patch.data) + copy.in_patch.first_bytes;
  return with_patch(
      buffers_.device()->start_from_device(patch.data, copy.element_bytes, from, copy.in_patch.samples, to,
                                           copy.in_place.samples, buffers_.window_of(to)),
      patch);
}

Status DeviceCopies::deliver(const PatchCopy& copy, const std::byte* source, const MutablePatch& patch) {
  has_started_ = true;
  const std::byte* const from = source + copy.in_place.first_bytes;
  auto* const to = static_cast<std::byte*>(patch.data) + copy.in_patch.first_bytes;
  return with_patch(
      buffers_.device()->start_to_device(patch.data, copy.element_bytes, from, copy.in_place.samples, to,
                                         copy.in_patch.samples, buffers_.window_of(from)),
      patch);
}

Status DeviceCopies::finish() {
  if (!has_started_) return {};
  Status finished = buffers_.device()->finish();
  has_started_ = false;
  return finished;
}

}  // namespace esker
