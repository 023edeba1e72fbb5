// Hierarchies: random patches of adaptive meshes, and what readers must get of them, by brute force over all
// samples of the finest level.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "esker/types/mesh.hpp"
#include "support/scenario.h"

namespace esker::testing_support {

struct Hierarchy {
  Mesh mesh;
  std::vector<MeshBox> patches;
  bool differs_by_patch = false;  ///< patches have different values at nodes that they share
};

/// The value of sample `p` of a patch: its level in the last three bits, and the same for no other sample of
/// the level.
inline double value_of(const Hierarchy& hierarchy, std::size_t patch, const Point& p) {
  const Index number = p[0] + 1000 * (p[1] + 1000 * (p[2] + 100 * p[3]));
  const double of_patch = hierarchy.differs_by_patch ? static_cast<double>(patch) / 64 : 0;
  return static_cast<double>(hierarchy.patches[patch].level + 8 * number) + of_patch;
}

/// Component `c` of a sample with this value.
template <class T>
T component_of(double value, int c) {
  return static_cast<T>(value + 0.25 * c);
}

/// The memory of a patch, x fastest, components innermost.
template <class T>
std::vector<T> samples_of(const Hierarchy& hierarchy, std::size_t patch, int components = 1) {
  std::vector<T> samples;
  for_each_point(hierarchy.patches[patch].box, [&](const Point& p) {
    for (int c = 0; c < components; ++c) {
      samples.push_back(component_of<T>(value_of(hierarchy, patch, p), c));
    }
  });
  return samples;
}

inline Index below(std::mt19937& random, Index n) {
  return static_cast<Index>(random() % static_cast<std::uint64_t>(n));
}

/// 1 to 3 levels of `rank` axes, without patches.
inline Mesh random_mesh(std::mt19937& random, int rank, Centering centering = Centering::kCells) {
  Mesh mesh;
  mesh.centering = centering;
  for (int a = 0; a < rank; ++a) {
    mesh.axes.push_back(std::string(1, "xyzw"[a]));
    mesh.extent[a] = 2 + below(random, rank == 4 ? 2 : rank == 3 ? 6 : 12);
  }
  for (Index n = 1 + below(random, 2); n > 0; --n) {
    Point ratio{1, 1, 1, 1, 1};
    const Index same = Index{1} << (1 + below(random, rank == 4 ? 1 : 2));
    for (int a = 0; a < rank; ++a) ratio[a] = same;
    mesh.ratios.push_back(ratio);
  }
  return mesh;
}

/// Whether two patches of a level may both be put.
inline bool may_meet(const Mesh& mesh, const Box& a, const Box& b) {
  if (intersect(a, b).empty()) return true;
  if (mesh.centering == Centering::kCells) return false;
  for (int axis = 0; axis < a.rank; ++axis) {
    const bool are_equal = a.lo[axis] == b.lo[axis] && a.hi[axis] == b.hi[axis];
    if (!are_equal && (a.hi[axis] - 1 == b.lo[axis] || b.hi[axis] - 1 == a.lo[axis])) return true;
  }
  return false;
}

/// Puts the coarsest level in two slabs, which at nodes share a plane, and finer levels in boxes anywhere
/// that may meet.
inline std::vector<MeshBox> random_patches(std::mt19937& random, const Mesh& mesh) {
  std::vector<MeshBox> patches;
  const int rank = mesh.rank();
  const Box coarse = mesh.domain(0);
  const Index cut = below(random, coarse.hi[0]);
  const Index shared = mesh.centering == Centering::kNodes && cut > 0 ? 1 : 0;
  for (const auto& [from, to] : {std::pair<Index, Index>{0, cut}, {cut - shared, coarse.hi[0]}}) {
    Box slab = coarse;
    slab.lo[0] = from;
    slab.hi[0] = to;
    const bool is_free = patches.empty() || may_meet(mesh, slab, patches.front().box);
    if (!slab.empty() && is_free) patches.push_back({0, slab});
  }
  for (int level = 1; level < mesh.num_levels(); ++level) {
    const Box domain = mesh.domain(level);
    std::vector<Box> boxes;
    for (Index n = 1 + below(random, 6); n > 0; --n) {
      Box box = domain;
      for (int a = 0; a < rank; ++a) {
        box.lo[a] = below(random, domain.hi[a]);
        box.hi[a] = box.lo[a] + 1 + below(random, std::min<Index>(8, domain.hi[a] - box.lo[a]));
      }
      const bool is_free = std::all_of(boxes.begin(), boxes.end(),
                                       [&](const Box& other) { return may_meet(mesh, box, other); });
      if (is_free) boxes.push_back(box);
    }
    for (const Box& box : boxes) patches.push_back({level, box});
  }
  return patches;
}

inline Hierarchy random_hierarchy(std::mt19937& random, Centering centering = Centering::kCells) {
  Hierarchy found;
  found.mesh = random_mesh(random, 1 + static_cast<int>(below(random, 3)), centering);
  found.patches = random_patches(random, found.mesh);
  found.differs_by_patch = centering == Centering::kNodes;
  return found;
}

/// Whether the first of two patches of a level is stored where both are: lower corners, slowest axis first.
inline bool is_lower(const Box& a, const Box& b) {
  for (int axis = a.rank; axis-- > 0;) {
    if (a.lo[axis] != b.lo[axis]) return a.lo[axis] < b.lo[axis];
  }
  for (int axis = a.rank; axis-- > 0;) {
    if (a.hi[axis] != b.hi[axis]) return a.hi[axis] < b.hi[axis];
  }
  return false;
}

constexpr double kNoPatch = 9.9692099683868690e+36;  ///< netCDF's fill value

/// The value of the finest patch over a sample of the finest level, of the lowest one among several; kNoPatch
/// where there is none.
inline double composite_at(const Hierarchy& hierarchy, const Point& p) {
  double value = kNoPatch;
  const MeshBox* finest = nullptr;
  for (std::size_t n = 0; n < hierarchy.patches.size(); ++n) {
    const MeshBox& patch = hierarchy.patches[n];
    const Point ratio = hierarchy.mesh.ratio_to_finest(patch.level);
    Point at{};
    for (int a = 0; a < patch.box.rank; ++a) at[a] = p[a] / ratio[a];
    if (!patch.box.contains(at) || (finest && patch.level < finest->level)) continue;
    if (finest && patch.level == finest->level && !is_lower(patch.box, finest->box)) continue;
    finest = &patch;
    value = value_of(hierarchy, n, at);
  }
  return value;
}

}  // namespace esker::testing_support
