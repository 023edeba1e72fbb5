// Directory: a distributed directory of boxes and the ranks that hold them. Each rank learns a part of it.
//
//   ESKER_ASSIGN_OR_RETURN(Directory directory, Directory::publish(comm, my_lists));
//   ESKER_RETURN_IF_ERROR(directory.learn([&](const VisitRegion& visit) { ... }));
//   make_plan(... of directory.lists() ...);
//
// The rendezvous method (as in p4est and in Zoltan's distributed directory): the grid is cut into bricks, and
// each brick has a directory owner (plan/known_boxes.h). Each rank sends its boxes to the owners of
// the bricks that they intersect. The owner checks whether the boxes cover its brick, and answers the ranks
// that must know the boxes there. A rank sends, keeps and learns only what its own boxes and regions
// intersect. For boxes of all sizes, spread over the grid, that does not grow with the number of ranks. The
// owner of a brick that contains many small boxes keeps all of them.
//
// Collective functions allocate between agreements, so that no rank is left waiting.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "comm/comm.h"
#include "esker/types/status.hpp"
#include "plan/known_boxes.h"
#include "plan/regions.h"

namespace esker {

/// A grid, and the boxes in it that a rank holds, in the order of the put calls. Empty boxes are kept.
struct BoxList {
  Box domain;
  std::vector<Box> boxes;
  bool may_have_gaps = false;      ///< samples that no rank holds are no defect
  bool may_share_borders = false;  ///< nor are border samples of several boxes; only with may_have_gaps
};

/// A region where the boxes of a list do not cover its grid exactly once.
struct DirectoryDefect {
  int list = 0;
  Box where;                             ///< samples that no rank holds, or the overlap of two boxes
  std::optional<HeldBox> first, second;  ///< the two boxes; empty where no rank holds the samples
};

class Directory {
 public:
  /// Sends this rank's boxes to their owners. `mine`: the same grids on all ranks. Collective; errors are
  /// those of all ranks: kOutOfMemory.
  static Result<Directory> publish(Comm& comm, const std::vector<BoxList>& mine);

  /// The boxes of each list that this rank knows; at first only what all ranks know.
  [[nodiscard]] const std::vector<std::shared_ptr<KnownBoxes>>& lists() const { return lists_; }
  /// The first defect in the bricks that this rank is the owner of.
  [[nodiscard]] const std::optional<DirectoryDefect>& defect() const { return defect_; }
  /// Ranks that hold a box of any list.
  [[nodiscard]] int num_holders() const { return num_holders_; }

  /// Requests the boxes in the regions for which `regions(visit)` calls visit(list, region), where `list` is
  /// one of lists(), or known by one. If some boxes of a list were not known, the list knows only the
  /// requested ones afterwards. Collective, one small all-reduce where all ranks know enough; errors are
  /// those of all ranks.
  template <class Regions>
  Status learn(const Regions& regions) {
    if (knows_all_) return {};
    return learn_regions(std::cref(regions));  // by reference: must not allocate before the ranks agree
  }
  /// Requests all boxes of all ranks. Later calls of learn() need no communication. Collective; errors are
  /// those of all ranks.
  Status learn_all();

 private:
  explicit Directory(Comm& comm) : comm_(&comm) {}
  Status learn_regions(const std::function<void(const VisitRegion&)>& regions);
  void start(const std::vector<BoxList>& mine, const std::vector<double>& sums);
  void keep(std::vector<std::vector<HeldBox>> received, const std::vector<BoxList>& mine);

  Comm* comm_;
  std::vector<std::shared_ptr<KnownBoxes>> lists_;
  std::vector<BoxIndex> kept_;  // as a directory owner: [list]
  std::optional<DirectoryDefect> defect_;
  int num_holders_ = 0;
  bool knows_all_ = false;  // the same on all ranks
};

}  // namespace esker
