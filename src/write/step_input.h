// StepInput: what one rank contributes to a step.
#pragma once

#include <memory>
#include <vector>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "exchange/patch_list.h"
#include "model/patch_order.h"
#include "write/keep_call.h"

namespace esker {

/// A patch at a level of a mesh; its box is in the indices of that level.
struct MeshPatch {
  int level = 0;
  Patch patch;
};

struct StepInput {
  Status status;  ///< an error of a local call since begin_step
  Index step = 0;
  double time = 0;
  std::vector<PatchList> patches;                         ///< [position in Schema::fields()]
  std::vector<std::unique_ptr<std::byte[]>> copies = {};  ///< memory of patches that Esker owns
  Index copied_bytes = 0;                                 ///< total size of the copies
  std::vector<KeepCall> keep = {};                        ///< rules of this rank
  std::vector<std::vector<MeshPatch>> mesh_patches = {};  ///< [position in Schema::fields()], or empty
  PatchesOfMeshes patches_of_meshes = {};  ///< of all ranks; of a step that resolve_meshes() made
  Index mesh_bytes = 0;  ///< put by this rank on meshes; of a step that resolve_meshes() made
  /// Of a step with level fields or coarse fields: the schema with them, and which fields are stored; see
  /// add_levels() and CoarseFieldAdder.
  std::shared_ptr<const Schema> schema = {};
  std::vector<bool> stored = {};

  /// The schema of what the step stores: `schema` if that is set, else that of the dataset.
  [[nodiscard]] const Schema& stored_schema(const Schema& of_dataset) const {
    return schema ? *schema : of_dataset;
  }
  /// Which of its fields the step stores.
  [[nodiscard]] std::vector<bool> fields_stored(const Schema& of_dataset) const;
};

}  // namespace esker
