// Mesh: grids of increasing resolution over one domain, where finer ones cover only parts of it (AMR).
//
//   Mesh mesh{.axes = {"x", "y", "z"}, .extent = {100, 100, 50}, .ratios = {{2, 2, 2}, {2, 2, 2}}};
//   const GridId grid = writer.def_mesh("amr", mesh).value();
//   const FieldId density = writer.def_field(grid, "density", SampleType::kFloat64).value();
//   ...
//   writer.put(density, level, Patch::dense(box, data)).check();  // box: in the indices of that level
//
// IDX datasets store all levels as one array in the index space of the finest one: sample i of a level is the
// sample at i * ratio_to_finest(level). Where levels overlap, the finest one is stored, at its resolution.
// VTKHDF datasets (format vtkhdf) store each level whole.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/export.h"
#include "esker/types/status.hpp"

namespace esker {

/// Where the samples of a mesh are.
enum class Centering {
  kCells,  ///< in the middle of cells
  kNodes,  ///< at the corners of cells: a level has one more along each axis than it has cells
};

struct ESKER_API Mesh {
  std::vector<std::string> axes;  ///< names of the axes, x first: 1 to kMaxRank
  Point extent{};                 ///< cells of the coarsest level along each axis
  /// [n]: cells of level n + 1 in a cell of level n, per axis, not all 1; see check_array().
  std::vector<Point> ratios = {};
  Centering centering = Centering::kCells;
  std::array<double, kMaxRank> origin{};                ///< of the domain's lower corner
  std::array<double, kMaxRank> spacing{1, 1, 1, 1, 1};  ///< edges of the coarsest cells
  /// A promise: the patches of a level are always inside of those of the next coarser level. A step with
  /// other patches is an error.
  bool nested = false;

  /// The number of axes.
  [[nodiscard]] int rank() const { return static_cast<int>(axes.size()); }
  /// Levels are numbered from the coarsest, 0.
  [[nodiscard]] int num_levels() const { return static_cast<int>(ratios.size()) + 1; }
  /// Samples of the finest level from one sample of a level to the next.
  [[nodiscard]] Point ratio_to_finest(int level) const;
  /// The indices that samples of a level can have.
  [[nodiscard]] Box domain(int level) const;
  /// The samples of the finest level in the cells of `box`, which is in indices of `level`.
  [[nodiscard]] Box in_finest(const Box& box, int level) const;
  /// kInvalidArgument, naming what is wrong: the number of axes, extents below 1, ratios below 1 or all 1;
  /// kOutOfRange for more than 2^61 cells on an axis.
  [[nodiscard]] Status check() const;
  /// Whether a mesh that passed check() can be stored as one array in the index space of its finest level, as
  /// IDX datasets do. kInvalidArgument: ratios that are not powers of two; kOutOfRange: more than 62 binary
  /// digits for the indices of the finest level. Only format vtkhdf stores other meshes.
  [[nodiscard]] Status check_array() const;

  bool operator==(const Mesh&) const = default;
};

/// A patch of all fields of a mesh.
struct MeshBox {
  int level = 0;
  Box box;  ///< in the indices of the level

  friend bool operator==(const MeshBox&, const MeshBox&) = default;
};

/// What a level of a mesh has at a step.
struct LevelCover {
  Index patches = 0;
  Index samples = 0;  ///< of the patches; nodes that patches share count once
  Index covered = 0;  ///< of these, under finer patches and thus not stored; parts of cells add up
};

}  // namespace esker
