// DenseCopy: samples on the host, for memory that the host cannot fill sample by sample: that of a device, or
// components that are not adjacent.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "device/device_memory.h"
#include "esker/types/patch.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "grid/copy_samples.h"

namespace esker {

class DenseCopy {
 public:
  /// Of a field's samples in `memory`, which is complete. `stream`: that uses memory of a device. May throw.
  DenseCopy(const Field& field, const MutablePatch& memory, bool is_on_device, void* stream);

  /// x fastest, components innermost.
  [[nodiscard]] std::byte* samples() const { return samples_.get(); }
  /// Copies the samples from the memory, after what the stream has to do. Errors: kWrongOrder (a stream that
  /// is captured), those of the driver.
  Status fetch();
  /// Copies the samples to the memory, likewise; bytes between them are unchanged. The same errors.
  Status deliver();

 private:
  /// What copies between a device and other strides, after the stream.
  Result<device::DeviceMemory*> strided_device();

  Index value_bytes_;
  std::byte* memory_;
  bool is_on_device_, is_dense_;
  void* stream_;
  SampleMap in_copy_, in_memory_;
  std::size_t num_bytes_;
  std::unique_ptr<std::byte[]> samples_;
  std::optional<device::DeviceMemory> device_;  // ends before the samples, which it may have pinned
};

}  // namespace esker
