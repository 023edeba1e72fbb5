// For tests that give a step to the pipeline without Writer::put.
#pragma once

#include <cstdlib>
#include <utility>

#include "write/pipeline.h"

namespace esker::testing_support {

/// What Writer::put does with each patch: finds those in memory of a device.
inline void find_devices(WritePipeline& pipeline, StepInput& input) {
  if (std::getenv("ESKER_TEST_DEVICE") == nullptr) return;
  const auto found = [&](Patch patch) {
    pipeline.device_patches().find(patch, nullptr).check();
    return patch;
  };
  for (PatchList& patches : input.patches) {
    PatchList list;
    list.expect(patches.boxes());
    for (const Patch& patch : patches) list.push_back(found(patch));
    patches = std::move(list);
  }
  for (auto& patches : input.mesh_patches) {
    for (MeshPatch& each : patches) each.patch = found(each.patch);
  }
}

}  // namespace esker::testing_support
