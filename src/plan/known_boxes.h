// KnownBoxes: what one rank knows of who holds which boxes, by having asked for it.
//
// The domain is cut into *bricks*, each of which has a rank as its *home*: the rank that is told of all boxes
// with samples in it (exchange/directory.h). A rank asks the homes for what lies in the regions that it must
// know, and makes its plan with the answers.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "esker/decomposition.hpp"
#include "plan/distribution.h"

namespace esker {

/// The bricks of a grid and their homes. The same on all ranks; pure.
class Homes {
 public:
  /// At most one brick per rank. `domain` is [0, extent) and not empty.
  Homes(const Box& domain, int n_ranks);

  [[nodiscard]] const BrickDecomposition& bricks() const { return bricks_; }
  [[nodiscard]] int home_of(Index brick) const;
  /// The brick that `rank` is the home of, or -1.
  [[nodiscard]] Index brick_of(int rank) const;
  /// Calls visit(brick, part of the region in it) for the bricks that hold samples of `region`.
  using Visit = std::function<void(Index brick, const Box& part)>;
  void for_each_brick(const Box& region, const Visit& visit) const;

 private:
  int n_ranks_;
  BrickDecomposition bricks_;
};

/// What to ask the homes: in each brick a box that holds all that is to be known there.
using Questions = std::map<Index, Box>;
Questions questions_about(const Homes& homes, std::vector<Box> regions);

class KnownBoxes final : public Distribution {
 public:
  /// `mine`: the boxes of `rank`, in the order of putting.
  KnownBoxes(const Box& domain, int n_ranks, int rank, std::vector<Box> mine, const BoxTotals& totals);

  [[nodiscard]] const Homes& homes() const { return homes_; }
  /// Boxes of all ranks, also empty ones.
  [[nodiscard]] Index num_put() const { return num_put_; }
  /// Boxes that it has learnt of.
  [[nodiscard]] Index num_known() const { return static_cast<Index>(index_.boxes().size()); }
  /// Whether all boxes in the parts of bricks that `questions` name are known. O(questions).
  [[nodiscard]] bool knows(const Questions& questions) const;
  /// From now on it knows the boxes that meet `asked`, which are `boxes`, in any order, each once or more.
  void learn(Questions asked, std::vector<HeldBox> boxes);

  [[nodiscard]] Box domain() const override { return domain_; }
  /// Throws std::logic_error for another rank than the own: nobody knows that.
  [[nodiscard]] std::vector<Box> boxes_of(int rank) const override;
  /// Throws std::logic_error for a region that is not known: who makes the plan has not asked for it.
  void for_each_meeting(const Box& region, const Visit& visit) const override;
  [[nodiscard]] Point typical_extent() const override { return typical_extent_; }
  [[nodiscard]] BrickDecomposition coarse_cut() const override {
    return coarse_cut_for(domain_, typical_extent_);
  }

 private:
  Box domain_;
  Homes homes_;
  int rank_;
  std::vector<Box> mine_;
  Index num_put_;
  Point typical_extent_;
  Questions asked_;
  BoxIndex index_;
};

}  // namespace esker
