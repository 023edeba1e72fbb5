#include "mirror.h"

#include "base/macros.h"
#include "codes.h"
#include "device/device_memory.h"

namespace esker::pnetcdf {
namespace {

using device::Access;
using device::DeviceMemory;
}  // namespace

MemoryRange range_of_steps(std::span<const Index> count, std::span<const Index> step_bytes,
                           Index value_bytes) {
  MemoryRange range{0, value_bytes};
  Index needed = value_bytes;
  for (std::size_t a = 0; a < count.size(); ++a) {
    const Index reach = (count[a] - 1) * step_bytes[a];
    (reach < 0 ? range.begin : range.end) += reach;
    needed *= count[a];
  }
  range.has_gaps = range.end - range.begin > needed;
  return range;
}

Status Mirror::take(std::byte* values, const MemoryRange& range, bool is_target) {
  std::byte* const first = moved(values, range.begin);
  ESKER_ASSIGN_OR_RETURN(const Access access, DeviceMemory::access_to(first));
  if (access == Access::kHost) return {};
  if (access == Access::kBoth) return DeviceMemory::finish_stream(first, nullptr);
  bytes_.resize(static_cast<std::size_t>(range.end - range.begin));
  first_ = -range.begin;
  on_device_ = first;
  if (is_target && !range.has_gaps) return DeviceMemory::finish_stream(first, nullptr);
  ESKER_RETURN_IF_ERROR(DeviceMemory::fetch(on_device_, bytes_, nullptr));
  if (is_target) now_ = before_ = bytes_;
  return {};
}

Status Mirror::write_back() {
  if (before_.empty()) return DeviceMemory::fill(on_device_, bytes_, nullptr);
  ESKER_RETURN_IF_ERROR(DeviceMemory::fetch(on_device_, now_, nullptr));
  for (std::size_t i = 0; i < now_.size(); ++i) {
    if (bytes_[i] != before_[i]) now_[i] = bytes_[i];
  }
  return DeviceMemory::fill(on_device_, now_, nullptr);
}

int hand_over(Mirror& mirror) noexcept {
  if (!mirror.is_used()) return NC_NOERR;
  return guarded([&]() -> int {
    const Status written = mirror.write_back();
    return written.ok() ? int{NC_NOERR} : code_of(written);
  });
}

}  // namespace esker::pnetcdf
