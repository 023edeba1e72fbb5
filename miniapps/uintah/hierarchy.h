// Hierarchy: which patches exist on each level at a time.
//
// The coarsest level is covered. A patch of a finer level exists where cells of the next coarser level are
// close to the surface of a feature, and around the patches of the next finer level, so that one cell at
// least lies between the borders of levels. Patches begin and end at borders of cells of the next coarser
// level.
#pragma once

#include <vector>

#include "esker/types/mesh.hpp"
#include "solution.h"
#include "tiles.h"

namespace uintah {

struct Sizes {
  Point coarse_patches{2, 2, 2};  ///< along each axis
  Index coarse_edge = 25;         ///< cells of a patch of the coarsest level along each axis
  Index fine_edge = 12;           ///< of finer patches; even
  int num_levels = 3;
};

/// Patches of the coarsest level along each axis for a number of ranks: 8 per rank, in nearly cubic bricks.
Point coarse_patches_for(int n_ranks);
/// Cells of the coarsest level, with a ratio of 2 between levels. The longest edge of the domain is 1.
esker::Mesh make_mesh(const Sizes& sizes);

class Hierarchy {
 public:
  /// Local, and the same on all ranks.
  Hierarchy(const Sizes& sizes, const esker::Mesh& mesh, double time);

  [[nodiscard]] const esker::Mesh& mesh() const { return mesh_; }
  [[nodiscard]] const Features& features() const { return features_; }
  /// The patches of a level, disjoint, in Morton order, in the indices of the level.
  [[nodiscard]] const std::vector<Box>& patches(int level) const { return patches_[level]; }
  [[nodiscard]] Index num_patches() const;
  /// Whether patches of finer levels cover a cell.
  [[nodiscard]] bool is_covered(int level, const Point& cell) const;
  /// Cells of all patches, and those of them that finer patches cover.
  [[nodiscard]] Index num_cells() const;
  [[nodiscard]] Index num_covered_cells() const;
  [[nodiscard]] Vec3 center(int level, const Point& cell) const;

 private:
  [[nodiscard]] double spacing(int level) const;
  /// Whether a cell of `level` - 1 in `box`, in indices of `level`, is close to a surface.
  [[nodiscard]] bool is_tagged(int level, const Box& box) const;
  void add_tagged(int level);
  void add_around(int level);

  esker::Mesh mesh_;
  Features features_;
  std::vector<Tiles> tiles_;
  std::vector<std::vector<Box>> patches_;
};

}  // namespace uintah
