// KnownBoxes: the part of the distributed directory of boxes that one rank has requested.
//
// The domain is cut into *bricks*. Each brick has a *directory owner*: the rank that receives all
// boxes with samples in the brick (exchange/directory.h). A rank queries the owners for the regions that it
// must know, and makes its plan with the answers.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "esker/types/decomposition.hpp"
#include "plan/distribution.h"

namespace esker {

/// The bricks of a grid and their directory owners. The same on all ranks; pure.
class DirectoryOwners {
 public:
  /// At most one brick per rank. `domain` is [0, extent) and not empty.
  DirectoryOwners(const Box& domain, int n_ranks);

  [[nodiscard]] const BrickDecomposition& bricks() const { return bricks_; }
  [[nodiscard]] int owner_of(Index brick) const;
  /// The brick that `rank` is the owner of, or -1.
  [[nodiscard]] Index brick_of(int rank) const;
  /// Calls visit(brick, part of the region in it) for the bricks that contain samples of `region`.
  using Visit = std::function<void(Index brick, const Box& part)>;
  void for_each_brick(const Box& region, const Visit& visit) const;

 private:
  int n_ranks_;
  BrickDecomposition bricks_;
};

/// The queries to the owners: for each brick a box that contains all regions of interest in it.
using BoxQueries = std::map<Index, Box>;
BoxQueries queries_for(const DirectoryOwners& owners, std::vector<Box> regions);

class KnownBoxes final : public Distribution {
 public:
  /// `mine`: the boxes of `rank`, in the order of the put calls.
  KnownBoxes(const Box& domain, int n_ranks, int rank, std::vector<Box> mine, const BoxTotals& totals);

  [[nodiscard]] const DirectoryOwners& owners() const { return owners_; }
  /// The number of boxes of all ranks, including empty boxes.
  [[nodiscard]] Index num_put() const { return num_put_; }
  /// The number of boxes that this rank has learned.
  [[nodiscard]] Index num_known() const { return static_cast<Index>(index_.boxes().size()); }
  /// Whether all boxes in the parts of bricks that `queries` contains are known. O(queries).
  [[nodiscard]] bool knows(const BoxQueries& queries) const;
  /// From now on it knows the boxes that meet `asked`, which are `boxes`, in any order, each once or more.
  void learn(BoxQueries asked, std::vector<HeldBox> boxes);

  [[nodiscard]] Box domain() const override { return domain_; }
  /// Throws std::logic_error for any other rank: only the boxes of this rank are known completely.
  [[nodiscard]] std::vector<Box> boxes_of(int rank) const override;
  /// Throws std::logic_error for a region that is not known, because the planner has not requested it.
  void for_each_meeting(const Box& region, const Visit& visit) const override;
  [[nodiscard]] Point typical_extent() const override { return typical_extent_; }

 private:
  Box domain_;
  DirectoryOwners owners_;
  int rank_;
  std::vector<Box> mine_;
  Index num_put_;
  Point typical_extent_;
  BoxQueries asked_;
  BoxIndex index_;
};

}  // namespace esker
