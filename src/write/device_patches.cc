#include "write/device_patches.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "grid/copy_samples.h"

namespace esker {

Status DevicePatches::find(Patch& patch, void* stream) {
  ESKER_ASSIGN_OR_RETURN(patch.is_on_device,
                         find_on_device(patch.data, patch.is_on_device, stream, maker_.buffers()));
  return {};
}

Result<BufferedPatch> DevicePatches::copy_to_host(const Patch& patch, int components) {
  const Index value_bytes = size_bytes(patch.type);
  const auto bytes = static_cast<std::size_t>(patch.box.num_samples() * components * value_bytes);
  BufferedPatch copy;
  copy.memory.reset(new (std::nothrow) std::byte[bytes]);
  if (!copy.memory) return error(Code::kOutOfMemory, "cannot allocate {} bytes for a copy", bytes);
  copy.patch = dense_form(patch, components, patch.type);
  copy.patch.data = copy.memory.get();
  PatchCopy gathered{value_bytes,
                     {0, SampleMap::strided(patch.box, patch.stride_bytes)},
                     {0, SampleMap::strided(patch.box, copy.patch.stride_bytes)}};
  gathered.in_patch.samples.add_strided(components, patch.component_stride_bytes);
  gathered.in_place.samples.add_strided(components, copy.patch.component_stride_bytes);
  DeviceCopies device(maker_.buffers());  // ends before the memory of the copy, also after an error
  ESKER_RETURN_IF_ERROR(device.gather(gathered, patch, copy.memory.get()));
  ESKER_RETURN_IF_ERROR(device.finish());
  return copy;
}

/// Whether values of a field are read before they move, whatever its patches are.
bool DevicePatches::needs_on_host(const Schema& schema, int field, const StepInput& input,
                                  bool averages_levels) const {
  const Options& options = maker_.options();
  if (options.transport == Transport::kPutTypes || averages_levels || options.compare_shared_nodes)
    return true;
  if (schema.fields()[static_cast<std::size_t>(field)].stored_bits > 0) return true;
  return std::any_of(input.keep.begin(), input.keep.end(), [&](const KeepCall& call) {
    return call.rule.region == KeepRule::Region::kRange && call.rule.field.index == field;
  });
}

Status DevicePatches::bring(const Field& field, StepInput& input, Patch& patch) {
  const Index bytes = buffered_bytes(field, patch), most = maker_.most_copied_bytes();
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
  if (maker_.buffers().device() == nullptr) return {};
  ESKER_RETURN_IF_ERROR(finish_streams());
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    if (!needs_on_host(schema, static_cast<int>(f), input, averages_levels)) continue;
    const Field& field = schema.fields()[f];
    PatchList brought;
    brought.expect(input.patches[f].boxes());
    for (Patch patch : input.patches[f]) {
      if (patch.is_on_device) ESKER_RETURN_IF_ERROR(bring(field, input, patch));
      brought.push_back(patch);
    }
    input.patches[f] = std::move(brought);
    if (f >= input.mesh_patches.size()) continue;
    for (MeshPatch& each : input.mesh_patches[f]) {
      if (each.patch.is_on_device) ESKER_RETURN_IF_ERROR(bring(field, input, each.patch));
    }
  }
  return {};
}

}  // namespace esker
