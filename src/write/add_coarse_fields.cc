#include "write/add_coarse_fields.h"

#include <cstddef>
#include <map>

#include "base/macros.h"
#include "model/coarse_fields.h"
#include "model/field_facts.h"

namespace esker {
namespace {

/// The samples of a patch that a level has.
Patch coarse_patch(Patch patch, int level) {
  const Box coarse = coarse_box(patch.box, level);
  const auto* data = static_cast<const std::byte*>(patch.data);
  for (int a = 0; a < coarse.rank && coarse.num_samples() > 0; ++a) {
    data += ((coarse.lo[a] << level) - patch.box.lo[a]) * patch.stride_bytes[a];
  }
  for (int a = 0; a < coarse.rank; ++a) {
    if (coarse.extent(a) > 1) patch.stride_bytes[a] *= Index{1} << level;
  }
  patch.box = coarse;
  patch.data = data;
  return patch;
}

PatchList coarse_patches(const PatchList& fine, int level) {
  PatchList patches;
  for (const Patch& patch : fine) patches.push_back(coarse_patch(patch, level));
  return patches;
}

}  // namespace

Status CoarseFieldAdder::add(const Schema& schema, int num_levels, StepInput& input) {
  if (!with_) {
    ESKER_ASSIGN_OR_RETURN(Schema with, with_coarse_fields(schema, num_levels));
    with_ = std::make_shared<const Schema>(std::move(with));
  }
  input.patches.resize(schema.fields().size());
  for (const Field& field : schema.fields()) input.stored.push_back(is_due(field, input.step));
  std::map<int, PatchBoxes> boxes_of_grid;
  for (const auto& [f, level] : coarse_fields(schema, num_levels)) {
    const auto position = input.stored.size();
    input.stored.push_back(is_due(schema.fields()[static_cast<std::size_t>(f)], input.step));
    PatchList patches = coarse_patches(input.patches[static_cast<std::size_t>(f)], level);
    PatchBoxes& shared = boxes_of_grid[with_->fields()[position].grid];
    if (shared == patches.boxes()) patches.share(shared);
    shared = patches.boxes();
    input.patches.push_back(std::move(patches));
  }
  input.schema = with_;
  return {};
}

}  // namespace esker
