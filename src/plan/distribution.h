// Distribution: the boxes of a grid and the ranks that hold them, as far as one rank must know them.
//
//   const BrickDistribution parts(BrickDecomposition::near_cubic(3, {512, 512, 512}, 4096).value());
//   parts.for_each_meeting(region, [&](int rank, int patch, const Box& box) { ... });
//
// A planner queries the boxes that intersect a region, so that its cost does not grow with the number of
// ranks. Distributions are immutable: pure, shared by the fields that are put together.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "esker/types/decomposition.hpp"
#include "esker/types/lattice.hpp"
#include "plan/box_index.h"

namespace esker {

/// [rank] -> the boxes that it holds, in the order of the put calls.
using BoxesOfRanks = std::vector<std::vector<Box>>;

/// A rank and the number of samples that it holds.
struct Share {
  int rank = 0;
  Index n_samples = 0;
};

/// Totals of all boxes of a grid, over all ranks.
struct BoxTotals {
  Index n_put = 0;    ///< including empty boxes
  Index n_boxes = 0;  ///< boxes with samples
  Point extents{};    ///< the sums of their extents, per axis
};

/// The mean extents of a box, rounded up; the extents of the domain if there are no boxes.
Point mean_extent(const Box& domain, const BoxTotals& totals);

/// Cuts the domain into `n` bricks. They have the given extent if that results in `n` bricks.
BrickDecomposition bricks_like(const Box& domain, const Point& typical_extent, int n);

class Distribution {
 public:
  using Visit = std::function<void(int rank, int patch, const Box& box)>;

  virtual ~Distribution() = default;

  /// The grid: [0, extent). The boxes of all ranks cover it exactly once; the caller of the planner checks
  /// this.
  [[nodiscard]] virtual Box domain() const = 0;
  /// Whether the boxes cover it exactly once by construction.
  [[nodiscard]] virtual bool covers_domain() const { return false; }
  /// In the order of the put calls; a rank may hold no boxes.
  [[nodiscard]] virtual std::vector<Box> boxes_of(int rank) const = 0;
  /// Calls visit for the boxes that contain samples of `region`, by ascending (rank, patch).
  virtual void for_each_meeting(const Box& region, const Visit& visit) const = 0;
  /// Appends the ranks that hold samples of a lattice in `region`, with their numbers of samples. A rank with
  /// several boxes may appear several times.
  virtual void add_shares(const Lattice& samples, const Box& region, std::vector<Share>& shares) const;
  /// What must be known for an answer in `region`: a distribution of boxes that ranks hold, and a region of
  /// it.
  struct Known {
    const Distribution* boxes = nullptr;
    Box region;
  };
  [[nodiscard]] virtual Known known_by(const Box& region) const { return {this, region}; }
  /// The extents of a typical box, per axis: the mean, rounded up.
  [[nodiscard]] virtual Point typical_extent() const = 0;
  /// A cut of the domain into boxes, each of which intersects about as many boxes of ranks as there are boxes
  /// in the cut: on every axis the square root of the number of rank boxes. If the domain is divided evenly
  /// into typical boxes, each lies in one box of the cut. The same for all distributions with the same domain
  /// and typical box, so that a plan relays as a writer does.
  [[nodiscard]] BrickDecomposition coarse_cut() const;
};

/// Rank r holds part r of a Cartesian split. Nothing is stored per rank; a query costs O(answer).
class BrickDistribution final : public Distribution {
 public:
  explicit BrickDistribution(BrickDecomposition parts) : parts_(std::move(parts)) {}

  [[nodiscard]] const BrickDecomposition& parts() const { return parts_; }

  [[nodiscard]] Box domain() const override;
  [[nodiscard]] bool covers_domain() const override { return true; }
  [[nodiscard]] std::vector<Box> boxes_of(int rank) const override;
  void for_each_meeting(const Box& region, const Visit& visit) const override;
  void add_shares(const Lattice& samples, const Box& region, std::vector<Share>& shares) const override;
  [[nodiscard]] Point typical_extent() const override;

 private:
  BrickDecomposition parts_;
};

/// Arbitrary boxes, stored in a list. Empty boxes keep their index among a rank's boxes.
class BoxListDistribution final : public Distribution {
 public:
  /// `domain` is [0, extent) and contains the boxes.
  BoxListDistribution(const Box& domain, BoxesOfRanks boxes);

  [[nodiscard]] const BoxesOfRanks& of_rank() const { return of_rank_; }

  [[nodiscard]] Box domain() const override { return domain_; }
  [[nodiscard]] std::vector<Box> boxes_of(int rank) const override {
    return of_rank_[static_cast<std::size_t>(rank)];
  }
  void for_each_meeting(const Box& region, const Visit& visit) const override;
  [[nodiscard]] Point typical_extent() const override { return typical_extent_; }

 private:
  Box domain_;
  BoxesOfRanks of_rank_;
  BoxIndex index_;
  Point typical_extent_;
};

}  // namespace esker
