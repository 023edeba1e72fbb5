#include "model/patch_cover.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "grid/num_samples.h"
#include "grid/points.h"

namespace esker {
namespace {

/// By their cells: node-centered patches share nodes. Patches of all nodes may leave out cells; false then.
bool covers_domain(const Mesh& mesh, std::span<const MeshBox> patches) {
  const Index nodes = mesh.centering == Centering::kNodes ? 1 : 0;
  const auto num_cells = [&](Box box) {
    for (int a = 0; a < box.rank; ++a) box.hi[a] -= nodes;
    return num_samples_at_most(box);
  };
  Index left = num_cells(mesh.domain(0));
  for (const MeshBox& patch : patches) {
    if (patch.level == 0) left -= num_cells(patch.box);
  }
  return left == 0;
}

/// The most samples that the patches of a level can have: a node can be in a patch on each side along each
/// axis.
Index most_samples(const Mesh& mesh, int level) {
  const Index samples = num_samples_at_most(mesh.domain(level));
  if (mesh.centering == Centering::kCells) return samples;
  constexpr Index kMost = std::numeric_limits<Index>::max();
  return samples > kMost >> mesh.rank() ? kMost : samples << mesh.rank();
}

}  // namespace

Status check_patches(const Mesh& mesh, std::span<const MeshBox> patches) {
  std::vector<Index> left;
  for (int level = 0; level < mesh.num_levels(); ++level) left.push_back(most_samples(mesh, level));
  for (const MeshBox& patch : patches) {
    if (patch.level >= mesh.num_levels() || !mesh.domain(patch.level).contains(patch.box)) {
      return error(Code::kDataLoss, "the patch {} of level {} is not in the mesh of {} levels",
                   patch.box.to_string(), patch.level, mesh.num_levels());
    }
    Index& of_level = left[static_cast<std::size_t>(patch.level)];
    of_level -= num_samples_at_most(patch.box);
    if (of_level < 0) return error(Code::kDataLoss, "patches of level {} overlap", patch.level);
  }
  return {};
}

std::vector<std::uint8_t> samples_in_boxes(std::span<const Box> boxes, const Lattice& samples) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(samples.num_samples()));
  for (const Box& box : boxes) {
    Box rows = samples.indices_in(box);
    if (rows.empty()) continue;
    const Index length = rows.extent(0);
    rows.hi[0] = rows.lo[0] + 1;
    for_each_index_point(rows, [&](const Point& first) {
      Index at = 0;
      for (int a = samples.rank; a-- > 0;) at = at * samples.count[a] + first[a];
      std::fill_n(flags.begin() + at, length, std::uint8_t{1});
    });
  }
  return flags;
}

std::vector<std::uint8_t> samples_in_patches(const Mesh& mesh, std::span<const MeshBox> patches,
                                             const Lattice& samples) {
  if (covers_domain(mesh, patches)) return {};
  std::vector<Box> boxes;
  for (const MeshBox& patch : patches) boxes.push_back(mesh.in_finest(patch.box, patch.level));
  return samples_in_boxes(boxes, samples);
}

}  // namespace esker
