// The flat form of a patch of a mesh: what no finer patch covers, in the index space of the finest level.
//
//   const std::vector<Box> parts = uncovered_parts(mesh, patch, finer);
//   rules.add(patch.level, parts);
//
// Writing a step and planning one (write/resolve_meshes, api/plan_meshes) differ in how they find the finer
// patches only.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "esker/types/keep.hpp"
#include "esker/types/mesh.hpp"
#include "grid/bitmask.h"

namespace esker {

/// Calls visit(box) for the patches of `level` that have samples in `region`, both in indices of the level.
using PatchesMeeting =
    std::function<void(int level, const Box& region, const std::function<void(const Box&)>& visit)>;

/// The samples of a finer level, in its indices, that may cover some of `patch`.
Box region_in_level(const Mesh& mesh, const MeshBox& patch, int finer);

/// The parts of a patch that no finer one covers and, at nodes, no earlier one of its level; disjoint, in
/// indices of the finest level.
std::vector<Box> uncovered_parts(const Mesh& mesh, const MeshBox& patch, const PatchesMeeting& meeting);

/// The rules of the flat array: which of its levels of resolution are kept where.
class FlatRules {
 public:
  /// `mask`: of the array of the finest level. Both must outlive this object.
  FlatRules(const Mesh& mesh, const Bitmask& mask) : mesh_(mesh), mask_(mask) {}

  /// Adds uncovered parts of a patch of `level`.
  void add(int level, const std::vector<Box>& parts);
  /// One rule per level of resolution; leaves none.
  [[nodiscard]] std::vector<KeepRule> take();

 private:
  const Mesh& mesh_;
  const Bitmask& mask_;
  std::map<int, std::vector<Box>> boxes_;  // by KeepRule::level
};

}  // namespace esker
