#include "mirror.h"

#include <span>

#include "base/macros.h"
#include "codes.h"
#include "device/device_memory.h"

namespace esker::pnetcdf {
namespace {

using device::Access;
using device::DeviceMemory;
using device::Driver;

SampleMap map_of(std::span<const std::byte> bytes) {
  return SampleMap::dense(Box::from_extent(1, {static_cast<Index>(bytes.size())}), 1);
}

Status copy_to_host(const std::byte* on_device, std::span<std::byte> bytes) {
  DeviceMemory device(*Driver::find());
  ESKER_RETURN_IF_ERROR(device.wait_for(on_device, nullptr));
  const SampleMap map = map_of(bytes);
  ESKER_RETURN_IF_ERROR(device.start_from_device(on_device, 1, on_device, map, bytes.data(), map, {}));
  return device.finish();
}

Status copy_to_device(std::byte* on_device, std::span<const std::byte> bytes) {
  DeviceMemory device(*Driver::find());
  const SampleMap map = map_of(bytes);
  ESKER_RETURN_IF_ERROR(device.start_to_device(on_device, 1, bytes.data(), map, on_device, map, {}));
  return device.finish();
}

}  // namespace

Status Mirror::take(std::byte* values, const MemoryRange& range, bool is_target) {
  std::byte* const first = moved(values, range.begin);
  ESKER_ASSIGN_OR_RETURN(const Access access, DeviceMemory::access_to(first));
  if (access == Access::kHost) return {};
  if (access == Access::kBoth) return DeviceMemory::finish_stream(first, nullptr);
  bytes_.resize(static_cast<std::size_t>(range.end - range.begin));
  first_ = -range.begin;
  on_device_ = first;
  if (is_target && !range.has_gaps) return DeviceMemory::finish_stream(first, nullptr);
  ESKER_RETURN_IF_ERROR(copy_to_host(on_device_, bytes_));
  if (is_target) now_ = before_ = bytes_;
  return {};
}

Status Mirror::write_back() {
  if (before_.empty()) return copy_to_device(on_device_, bytes_);
  ESKER_RETURN_IF_ERROR(copy_to_host(on_device_, now_));
  for (std::size_t i = 0; i < now_.size(); ++i) {
    if (bytes_[i] != before_[i]) now_[i] = bytes_[i];
  }
  return copy_to_device(on_device_, now_);
}

int hand_over(Mirror& mirror) noexcept {
  if (!mirror.is_used()) return NC_NOERR;
  return guarded([&]() -> int {
    const Status written = mirror.write_back();
    return written.ok() ? int{NC_NOERR} : code_of(written);
  });
}

}  // namespace esker::pnetcdf
