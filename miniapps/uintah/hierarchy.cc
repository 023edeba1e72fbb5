#include "hierarchy.h"

#include <algorithm>
#include <cmath>

namespace uintah {
namespace {

constexpr double kTaggedCells = 2;  // distance to a surface, in cells of the coarser level

Vec3 lengths_of(const esker::Mesh& mesh) {
  Vec3 lengths{};
  for (int a = 0; a < 3; ++a) lengths[a] = mesh.spacing[a] * static_cast<double>(mesh.extent[a]);
  return lengths;
}

Index sum_of_cells(const std::vector<Box>& boxes) {
  Index cells = 0;
  for (const Box& box : boxes) cells += box.num_samples();
  return cells;
}

/// The cells of the next coarser level that contain those of `box`, and one cell around.
Box coarser_and_around(const Box& box) {
  Box coarse = box;
  for (int a = 0; a < 3; ++a) {
    coarse.lo[a] = box.lo[a] / 2 - 1;
    coarse.hi[a] = (box.hi[a] + 1) / 2 + 1;
  }
  return coarse;
}

}  // namespace

Point coarse_patches_for(int n_ranks) {
  Point patches{2, 2, 2, 0, 0};
  for (int left = n_ranks, factor = 2; left > 1;) {
    if (left % factor != 0) {
      ++factor;
      continue;
    }
    *std::min_element(patches.begin(), patches.begin() + 3) *= factor;
    left /= factor;
  }
  return patches;
}

esker::Mesh make_mesh(const Sizes& sizes) {
  esker::Mesh mesh;
  mesh.axes = {"x", "y", "z"};
  for (int a = 0; a < 3; ++a) mesh.extent[a] = sizes.coarse_patches[a] * sizes.coarse_edge;
  const Index longest = *std::max_element(mesh.extent.begin(), mesh.extent.begin() + 3);
  for (int a = 0; a < 3; ++a) mesh.spacing[a] = 1 / static_cast<double>(longest);
  mesh.ratios.assign(sizes.num_levels - 1, Point{2, 2, 2, 1, 1});
  return mesh;
}

Hierarchy::Hierarchy(const Sizes& sizes, const esker::Mesh& mesh, double time)
    : mesh_(mesh), features_(lengths_of(mesh), time) {
  for (int level = 0; level < sizes.num_levels; ++level) {
    tiles_.emplace_back(mesh_.domain(level), level == 0 ? sizes.coarse_edge : sizes.fine_edge);
  }
  for (int level = sizes.num_levels - 1; level > 0; --level) {
    add_tagged(level);
    if (level > 1) add_around(level);
  }
  for_each_point(tiles_[0].grid(), [&](const Point& tile) { tiles_[0].add(tile); });
  for (const Tiles& tiles : tiles_) patches_.push_back(tiles.patches());
}

double Hierarchy::spacing(int level) const { return mesh_.spacing[0] / std::exp2(level); }

Vec3 Hierarchy::center(int level, const Point& cell) const {
  Vec3 at{};
  for (int a = 0; a < 3; ++a) at[a] = (static_cast<double>(cell[a]) + 0.5) * spacing(level);
  return at;
}

bool Hierarchy::is_tagged(int level, const Box& box) const {
  const double near = kTaggedCells * spacing(level - 1);
  Point middle{};
  double half_diagonal = 0;
  for (int a = 0; a < 3; ++a) {
    middle[a] = (box.lo[a] + box.hi[a]) / 2;
    half_diagonal += std::pow(static_cast<double>(box.extent(a)) * spacing(level), 2);
  }
  half_diagonal = std::sqrt(half_diagonal);  // of the whole box, which leaves a margin of the other half
  if (features_.distance(center(level, middle)) > near + half_diagonal) return false;
  Box coarse = box;
  for (int a = 0; a < 3; ++a) {
    coarse.lo[a] = box.lo[a] / 2;
    coarse.hi[a] = box.hi[a] / 2;
  }
  bool found = false;
  for_each_point(coarse, [&](const Point& cell) {
    found = found || features_.distance(center(level - 1, cell)) < near;
  });
  return found;
}

void Hierarchy::add_tagged(int level) {
  Tiles& tiles = tiles_[level];
  for_each_point(tiles.grid(), [&](const Point& tile) {
    if (!tiles.exists(tile) && is_tagged(level, tiles.box_of(tile))) tiles.add(tile);
  });
}

void Hierarchy::add_around(int level) {
  const Tiles& fine = tiles_[level];
  Tiles& coarse = tiles_[level - 1];
  for_each_point(fine.grid(), [&](const Point& tile) {
    if (!fine.exists(tile)) return;
    const Box around = coarse.touched_by(coarser_and_around(fine.box_of(tile)));
    for_each_point(around, [&](const Point& below) { coarse.add(below); });
  });
}

Index Hierarchy::num_patches() const {
  Index count = 0;
  for (const auto& boxes : patches_) count += static_cast<Index>(boxes.size());
  return count;
}

bool Hierarchy::is_covered(int level, const Point& cell) const {
  if (level + 1 >= mesh_.num_levels()) return false;
  return tiles_[level + 1].hold({2 * cell[0], 2 * cell[1], 2 * cell[2], 0, 0});
}

Index Hierarchy::num_cells() const {
  Index cells = 0;
  for (const auto& boxes : patches_) cells += sum_of_cells(boxes);
  return cells;
}

Index Hierarchy::num_covered_cells() const {
  return (num_cells() - sum_of_cells(patches_[0])) / 8;  // each finer patch covers an eighth of its cells
}

}  // namespace uintah
