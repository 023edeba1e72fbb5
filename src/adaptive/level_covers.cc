#include "adaptive/level_covers.h"

#include "adaptive/level_parts.h"

namespace esker {
namespace {

/// The samples of a domain that are in any of the boxes.
Index num_samples_in(const Box& domain, const std::vector<LevelBox>& boxes) {
  Index sum = 0;
  for_each_level_part(domain, boxes, [&](const Box& part, KeptLevel) { sum += part.num_samples(); });
  return sum;
}

}  // namespace

std::vector<LevelCover> covers_of(const Mesh& mesh, std::span<const MeshBox> patches) {
  const Box finest = mesh.domain(mesh.num_levels() - 1);
  const bool counts_covered = finest.checked_num_samples().has_value();
  std::vector<LevelCover> covers(static_cast<std::size_t>(mesh.num_levels()));
  std::vector<LevelBox> all;
  for (int level = 0; level < mesh.num_levels(); ++level) {
    LevelCover& cover = covers[static_cast<std::size_t>(level)];
    std::vector<LevelBox> boxes, in_finest;
    for (const MeshBox& patch : patches) {
      if (patch.level != level) continue;
      boxes.push_back({patch.box, static_cast<KeptLevel>(level)});
      in_finest.push_back({mesh.in_finest(patch.box, level), static_cast<KeptLevel>(level)});
    }
    cover.patches = std::ssize(boxes);
    cover.samples = num_samples_in(mesh.domain(level), boxes);
    if (!counts_covered) continue;
    cover.covered = num_samples_in(finest, in_finest);  // of the finest level, at first
    all.insert(all.end(), in_finest.begin(), in_finest.end());
  }
  for_each_level_part(finest, all, [&](const Box& part, KeptLevel level) {
    covers[static_cast<std::size_t>(level)].covered -= part.num_samples();
  });
  for (int level = 0; level < mesh.num_levels(); ++level) {
    const Point ratio = mesh.ratio_to_finest(level);
    for (int a = 0; a < mesh.rank(); ++a) covers[static_cast<std::size_t>(level)].covered /= ratio[a];
  }
  return covers;
}

}  // namespace esker
