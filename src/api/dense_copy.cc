#include "api/dense_copy.h"

#include "api/dataset_impl.h"
#include "base/macros.h"
#include "read/read_target.h"

namespace esker {
namespace {

/// Whether the samples of the memory are contiguous, x fastest.
bool is_dense(const Field& field, const MutablePatch& memory) {
  const Lattice samples{.rank = memory.box.rank, .count = memory.box.extents()};
  return Dataset::Impl::has_whole_samples(field, memory) &&
         ReadTarget::strided(samples, 0, nullptr, field.sample_bytes(), memory.stride_bytes)
             .is_dense(field.sample_bytes());
}

}  // namespace

DenseCopy::DenseCopy(const Field& field, const MutablePatch& memory, bool is_on_device, void* stream)
    : value_bytes_(size_bytes(field.type)),
      memory_(static_cast<std::byte*>(memory.data)),
      is_on_device_(is_on_device),
      is_dense_(is_dense(field, memory)),
      stream_(stream),
      in_copy_(SampleMap::dense(memory.box, field.sample_bytes())),
      in_memory_(SampleMap::strided(memory.box, memory.stride_bytes)),
      num_bytes_(static_cast<std::size_t>(memory.box.num_samples() * field.sample_bytes())),
      samples_(std::make_unique_for_overwrite<std::byte[]>(num_bytes_)) {
  in_copy_.add_strided(field.components, value_bytes_);
  in_memory_.add_strided(field.components, memory.component_stride_bytes);
}

Status DenseCopy::fetch() {
  if (!is_on_device_) {
    copy_samples(value_bytes_, memory_, in_memory_, samples(), in_copy_);
    return {};
  }
  if (is_dense_) return device::DeviceMemory::fetch(memory_, {samples(), num_bytes_}, stream_);
  ESKER_ASSIGN_OR_RETURN(device::DeviceMemory* const device, strided_device());
  ESKER_RETURN_IF_ERROR(device->start_from_device(memory_, value_bytes_, memory_, in_memory_, samples(),
                                                  in_copy_, {samples(), num_bytes_}));
  return device->finish();
}

Status DenseCopy::deliver() {
  if (!is_on_device_) {
    copy_samples(value_bytes_, samples(), in_copy_, memory_, in_memory_);
    return {};
  }
  if (is_dense_) return device::DeviceMemory::fill(memory_, {samples(), num_bytes_}, stream_);
  ESKER_ASSIGN_OR_RETURN(device::DeviceMemory* const device, strided_device());
  ESKER_RETURN_IF_ERROR(device->start_to_device(memory_, value_bytes_, samples(), in_copy_, memory_,
                                                in_memory_, {samples(), num_bytes_}));
  return device->finish();
}

Result<device::DeviceMemory*> DenseCopy::strided_device() {
  if (!device_) device_.emplace(*device::Driver::find());
  ESKER_RETURN_IF_ERROR(device_->wait_for(memory_, stream_));
  return &*device_;
}

}  // namespace esker
