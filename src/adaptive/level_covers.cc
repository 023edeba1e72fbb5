#include "adaptive/level_covers.h"

#include "adaptive/level_parts.h"

namespace esker {

std::vector<LevelCover> covers_of(const Mesh& mesh, std::span<const MeshBox> patches) {
  std::vector<LevelCover> covers(static_cast<std::size_t>(mesh.num_levels()));
  std::vector<LevelBox> boxes;
  for (const MeshBox& patch : patches) {
    LevelCover& cover = covers[static_cast<std::size_t>(patch.level)];
    ++cover.patches;
    cover.samples += patch.box.num_samples();
    boxes.push_back({mesh.in_finest(patch.box, patch.level), static_cast<KeptLevel>(patch.level)});
    cover.covered += boxes.back().box.num_samples();  // of the finest level, at first
  }
  const Box finest = mesh.domain(mesh.num_levels() - 1);
  for_each_level_part(finest, boxes, [&](const Box& part, KeptLevel level) {
    covers[static_cast<std::size_t>(level)].covered -= part.num_samples();
  });
  for (int level = 0; level < mesh.num_levels(); ++level) {
    const Point ratio = mesh.ratio_to_finest(level);
    for (int a = 0; a < mesh.rank(); ++a) covers[static_cast<std::size_t>(level)].covered /= ratio[a];
  }
  return covers;
}

}  // namespace esker
