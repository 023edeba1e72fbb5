// Snapshot: the patches of one output step, and the values of those that a rank owns.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "common/world.h"
#include "hierarchy.h"

namespace uintah {

struct OwnPatch {
  int level = 0;
  Index number = 0;                                    ///< among the patches of its level
  Box box;                                             ///< in the indices of its level
  std::array<std::vector<double>, kNumFields> values;  ///< dense, x fastest
};

struct Snapshot {
  Index step = 0;
  double time = 0;
  std::shared_ptr<const Hierarchy> hierarchy;
  std::vector<OwnPatch> own;  ///< by level, then number; a rank may own none
};

/// Local. Patches of a level are dealt to the ranks in equal parts along the Morton curve.
Snapshot make_snapshot(const miniapp::World& world, const Sizes& sizes, const esker::Mesh& mesh, Index step,
                       double time);

}  // namespace uintah
