#include "formats/vtkhdf/vtkhdf_step_layouts.h"

#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/pack_values.h"
#include "formats/vtkhdf/run_sums.h"

namespace esker::vtkhdf {

BoxesOfLevels boxes_of_levels(const Mesh& mesh, std::span<const MeshBox> patches) {
  BoxesOfLevels boxes(static_cast<std::size_t>(mesh.num_levels()));
  for (int level = 0; level < mesh.num_levels(); ++level) {
    std::vector<Point> extents;
    for (const MeshBox& patch : patches_of_level(patches, level)) extents.push_back(patch.box.extents());
    if (extents.empty()) continue;
    boxes[static_cast<std::size_t>(level)] =
        std::make_shared<const PackedBoxes>(mesh.rank(), std::move(extents));
  }
  return boxes;
}

VtkhdfStepLayouts::VtkhdfStepLayouts(const Schema& schema, const BoxesOfLevels& boxes,
                                     const std::vector<bool>& present, bool checksums,
                                     std::function<std::string(Index)> path_of)
    : path_of_(std::move(path_of)), checksums_(checksums) {
  const std::size_t num_fields = schema.fields().size();
  const std::vector<LevelField> all = level_fields(schema);
  for (int level = 0; level < std::ssize(boxes); ++level) {  // as in the file
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (all[n].level != level || !present[num_fields + n]) continue;
      columns.push_back({static_cast<int>(num_fields + n), 0, static_cast<int>(layouts.size()), 0});
      const Index sample_bytes = schema.fields()[static_cast<std::size_t>(all[n].field)].sample_bytes();
      layouts.push_back(std::make_shared<PackedBoxesLayout>(boxes[static_cast<std::size_t>(level)],
                                                            sample_bytes, 0, kRunBytes));
      level_field_of_.push_back(n);
    }
  }
  places_.resize(layouts.size());
  for (const auto& of_level : boxes) {
    if (of_level) list_bytes_ += of_level->size_bytes();
  }
}

Status VtkhdfStepLayouts::take_places(const std::string& places) {
  for (std::size_t layout = 0; layout < places_.size(); ++layout) {
    const std::size_t begin = level_field_of_[layout] * sizeof(Index);
    if (begin + sizeof(Index) > places.size()) {
      return error(Code::kInternal, "the offsets of the fields have {} bytes, expected more", places.size());
    }
    std::memcpy(&places_[layout], places.data() + begin, sizeof(Index));
  }
  return {};
}

std::string print_places(const Offsets& offsets) {
  std::vector<Index> places;
  for (const auto& offset : offsets) places.push_back(offset.value_or(0));
  return pack_values(places);
}

}  // namespace esker::vtkhdf
