#include "write/device_patches.h"

#include <exception>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "device/device_memory.h"
#include "grid/copy_samples.h"

namespace esker {

namespace {

/// Before memory is freed that a copy writes to, whatever happens.
struct EndOfCopy {
  device::DeviceMemory& device;
  explicit EndOfCopy(device::DeviceMemory& of) : device(of) {}
  EndOfCopy(const EndOfCopy&) = delete;
  EndOfCopy& operator=(const EndOfCopy&) = delete;
  ~EndOfCopy() {
    try {
      (void)device.finish();
    } catch (const std::exception&) {  // no memory for the text of an error
    }
  }
};

}  // namespace

Status DevicePatches::find(Patch& patch, void* stream) {
  const bool is_expected = patch.is_on_device;
  ESKER_ASSIGN_OR_RETURN(patch.is_on_device, find_on_device(patch.data, stream, buffers_));
  if (!is_expected || patch.is_on_device) return {};
  ESKER_ASSIGN_OR_RETURN(const device::Access access, device::DeviceMemory::access_to(patch.data));
  if (access != device::Access::kHost) return {};
  return error(Code::kInvalidArgument, "expected memory of a GPU, {}",
               device::Driver::find() == nullptr
                   ? "but this process has not loaded the CUDA driver (libcuda.so.1)"
                   : "found an address that the CUDA driver does not know");
}

Result<BufferedPatch> DevicePatches::copy_to_host(const Patch& patch, int components) {
  const Index value_bytes = size_bytes(patch.type);
  const auto bytes = static_cast<std::size_t>(patch.box.num_samples() * components * value_bytes);
  BufferedPatch copy;
  copy.memory.reset(new (std::nothrow) std::byte[bytes]);
  if (!copy.memory) return error(Code::kOutOfMemory, "cannot allocate {} bytes for a copy", bytes);
  copy.patch = dense_form(patch, components, patch.type);
  copy.patch.data = copy.memory.get();
  SampleMap from = SampleMap::strided(patch.box, patch.stride_bytes);
  SampleMap to = SampleMap::strided(patch.box, copy.patch.stride_bytes);
  from.add_strided(components, patch.component_stride_bytes);
  to.add_strided(components, copy.patch.component_stride_bytes);
  // Pinning memory for one copy costs more than the driver's copy of dense rows.
  device::DeviceMemory& device = *buffers_.device();
  const EndOfCopy end{device};
  ESKER_RETURN_IF_ERROR(device.start_from_device(
      patch.data, value_bytes, static_cast<const std::byte*>(patch.data), from, copy.memory.get(), to, {}));
  ESKER_RETURN_IF_ERROR(device.finish());
  return copy;
}

bool DevicePatches::needs_all_on_host(const StepInput& input, bool averages_levels) const {
  return options_.transport == Transport::kPutTypes || averages_levels || options_.compare_shared_nodes ||
         !input.keep.empty();
}

Status DevicePatches::bring(const Field& field, StepInput& input, Patch& patch) {
  const Index bytes = buffered_bytes(field, patch), most = options_.memory_budget_bytes / 2;
  if (input.copied_bytes + bytes > most) {
    return error(Code::kOutOfMemory,
                 "'{}': values of patches on a device are needed in {} bytes of host memory, but half of "
                 "memory_budget is {}; set memory_budget to {} bytes",
                 field.name, input.copied_bytes + bytes, most, 2 * (input.copied_bytes + bytes));
  }
  Result<BufferedPatch> copy = copy_to_host(patch, field.components);
  if (!copy.ok()) return copy.status().with_context("'" + field.name + "'");
  patch = copy->patch;
  input.copies.push_back(std::move(copy->memory));
  input.copied_bytes += bytes;
  return {};
}

Status DevicePatches::bring_to_host(const Schema& schema, bool averages_levels, StepInput& input) {
  if (buffers_.device() == nullptr) return {};
  ESKER_RETURN_IF_ERROR(finish_streams());
  const bool needs_all = needs_all_on_host(input, averages_levels);
  for (std::size_t f = 0; f < input.patches.size(); ++f) {
    const Field& field = schema.fields()[f];
    PatchList& patches = input.patches[f];
    if (!needs_all && field.stored_bits == 0) continue;
    PatchList brought;
    brought.expect(patches.boxes());
    for (Patch patch : patches) {
      if (patch.is_on_device) ESKER_RETURN_IF_ERROR(bring(field, input, patch));
      brought.push_back(patch);
    }
    patches = std::move(brought);
  }
  for (std::size_t f = 0; needs_all && f < input.mesh_patches.size(); ++f) {
    for (MeshPatch& each : input.mesh_patches[f]) {
      if (each.patch.is_on_device) ESKER_RETURN_IF_ERROR(bring(schema.fields()[f], input, each.patch));
    }
  }
  return {};
}

}  // namespace esker
