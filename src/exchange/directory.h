// Directory: who holds which boxes, kept by all ranks together and learnt in part by each.
//
//   ESKER_ASSIGN_OR_RETURN(Directory directory, Directory::publish(comm, my_lists));
//   ESKER_RETURN_IF_ERROR(directory.learn([&](const VisitRegion& visit) { ... }));
//   make_plan(... of directory.lists() ...);
//
// The rendezvous method (as in p4est and in Zoltan's distributed directory): each rank tells its boxes to the
// homes of the bricks that they meet (plan/known_boxes.h); the home of a brick sees whether the boxes
// cover it, and answers whoever must know what lies there. A rank sends, keeps and learns what its own boxes
// and regions meet; with boxes of all sizes in all places that does not grow with the number of ranks. The
// home of a brick that many small boxes crowd in keeps them all.
//
// All functions that are collective allocate between agreements, so that no rank is left waiting.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "comm/comm.h"
#include "esker/status.hpp"
#include "plan/known_boxes.h"
#include "plan/regions.h"

namespace esker {

/// A grid, and boxes in it that a rank holds, in the order of putting. Empty ones keep their place.
struct BoxList {
  Box domain;
  std::vector<Box> boxes;
};

/// A place where the boxes of a list do not cover its grid exactly once.
struct DirectoryDefect {
  int list = 0;
  Box where;                             ///< samples that nobody holds, or all that two boxes share
  std::optional<HeldBox> first, second;  ///< the two; nothing where nobody holds any
};

class Directory {
 public:
  /// Tells the homes of this rank's boxes. `mine`: the same grids on all ranks. Collective; errors are those
  /// of all ranks: kOutOfMemory.
  static Result<Directory> publish(Comm& comm, const std::vector<BoxList>& mine);

  /// What this rank knows of each list; at first only what all ranks know.
  [[nodiscard]] const std::vector<std::shared_ptr<KnownBoxes>>& lists() const { return lists_; }
  /// What is wrong in the bricks that this rank is the home of: the first of it.
  [[nodiscard]] const std::optional<DirectoryDefect>& defect() const { return defect_; }
  /// Ranks that hold a box of any list.
  [[nodiscard]] int num_holders() const { return num_holders_; }

  /// Asks for the boxes in the regions for which `regions(visit)` calls visit(list, region), the list being
  /// one of lists(); a list of which some are not known yet knows only these then. Collective, one small
  /// all-reduce where all ranks know enough; errors are those of all ranks.
  template <class Regions>
  Status learn(const Regions& regions) {
    return learn_all(std::cref(regions));  // by reference: no memory is needed where nothing is agreed yet
  }

 private:
  explicit Directory(Comm& comm) : comm_(&comm) {}
  Status learn_all(const std::function<void(const VisitRegion&)>& regions);
  void start(const std::vector<BoxList>& mine, const std::vector<double>& sums);
  void keep(std::vector<std::vector<HeldBox>> told);

  Comm* comm_;
  std::vector<std::shared_ptr<KnownBoxes>> lists_;
  std::vector<BoxIndex> kept_;  // as a home: [list]
  std::optional<DirectoryDefect> defect_;
  int num_holders_ = 0;
};

}  // namespace esker
