// Mirror: memory of a GPU that a caller passes, on the host until the call, or the wait for it, has moved its
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"

namespace esker::pnetcdf {

/// Bytes of memory, relative to the address that a call has.
struct MemoryRange {
  Index begin = 0, end = 0;
  bool has_gaps = false;  ///< bytes that belong to no value
};

/// Of values of `value_bytes`, so many and so far apart along each axis.
MemoryRange range_of_steps(std::span<const Index> count, std::span<const Index> step_bytes,
                           Index value_bytes);

/// The address that is so many bytes away, which may be beyond the object: datatypes with absolute addresses
/// begin at MPI_BOTTOM.
inline std::byte* moved(const std::byte* address, Index bytes) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) +
                                      static_cast<std::uintptr_t>(bytes));
}

class Mirror {
 public:
  /// Copies a range of memory at `values` if only a device can access it, after what its legacy stream has to
  /// do now; else the host can access the range after this. `is_target`: all values in it will be replaced.
  /// Errors of the driver. Local; may throw.
  Status take(std::byte* values, const MemoryRange& range, bool is_target);
  [[nodiscard]] bool is_used() const { return on_device_ != nullptr; }
  /// What is used in place of the address that the call has.
  [[nodiscard]] std::byte* values() { return moved(bytes_.data(), first_); }
  /// Copies to the device what has changed since take(). Between values it may have changed, too: by other
  /// requests. Errors of the driver. Local; allocates nothing.
  Status write_back();

 private:
  std::byte* on_device_ = nullptr;
  Index first_ = 0;                              // of the address, in the bytes
  std::vector<std::byte> bytes_, before_, now_;  // the last two for a target with gaps
};

/// Writes a mirror back, if it is used. The code of an error. Local.
int hand_over(Mirror& mirror) noexcept;

}  // namespace esker::pnetcdf
