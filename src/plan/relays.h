// Relays: which samples reach their aggregator through another rank, and through which one.
//
// There are two reasons to collect samples before they go to an aggregator. Both use a virtual grid of boxes
// over the domain. The *relay* of a box collects its samples and forwards them as one segment per piece.
//   restructuring   Boxes of power-of-two extents (esker/types/restructure.hpp). The relay of a box is the
//                   rank that holds most of it, the lowest on a tie: a box is collected among neighbors.
//   coarse levels   A piece of a coarse level has samples of nearly all ranks. There are about sqrt(N) boxes,
//                   each relayed by about sqrt(N) ranks, which divide the aggregators among them. No rank
//                   receives from more than about sqrt(N) others. The assignment is arithmetic.
//                   In partitions the boxes are tiles, each relayed by aggregators of its partition: about
//                   sqrt(N) tiles for the coarse part, and about as many as the square root of the ranks of a
//                   partition for its own levels that need relays.
// A level uses one of the two, or its samples go directly. Pure, the same on every rank; no cost per rank.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "esker/types/restructure.hpp"
#include "grid/points.h"
#include "plan/distribution.h"
#include "plan/ownership.h"
#include "plan/piece_space.h"

namespace esker {

/// One field of a layout, and the ranks that hold its boxes.
struct FieldPatches {
  int layout = 0;  ///< number of the layout in the PieceSpace
  int field = 0;   ///< position in that layout's list of fields
  std::shared_ptr<const Distribution> holders;
};

struct RelayRules {
  Restructure restructure;
  int max_fan_in = 0;  ///< ranks that an aggregator may receive from in a round; 0: default_max_fan_in
};

/// 2 sqrt(N), at least 64. More, up to 1024, where messages that fill a buffer of that size are so large that
/// collecting them first would cost more than it saves.
int default_max_fan_in(int n_ranks, Index buffer_bytes);

/// The virtual boxes that collect samples of some levels.
struct VirtualGrid {
  Levels levels;
  std::optional<BrickDecomposition> boxes;  ///< none: the samples go directly
  bool is_coarse = false;                   ///< relays by arithmetic, else by largest overlap
  const TileCut* tiles = nullptr;           ///< in partitions: coarse boxes are tiles of this mask
  int digits = 0;                           ///< of these tiles

  /// Calls visit(number, box) for the boxes that contain samples of `region`.
  template <class Visit>
  void for_each_box(const Box& region, const Visit& visit) const {
    for_each_index_point(boxes->parts_meeting(region), [&](const Point& part) {
      const Index number = boxes->number_of(part);
      visit(number, boxes->box(number));
    });
  }
};

class Relays {
 public:
  /// `space` and `ownership` must outlive it.
  Relays(const PieceSpace& space, const Ownership& ownership, const std::vector<FieldPatches>& fields,
         int n_ranks, const RelayRules& rules);

  /// The virtual grids of the levels of a field's layout; each level uses one of them.
  [[nodiscard]] const std::vector<VirtualGrid>& relay_grids(int field) const {
    return relay_grids_[static_cast<std::size_t>(field)];
  }
  [[nodiscard]] const VirtualGrid& relay_grid(int field, int level) const;
  [[nodiscard]] int num_ranks() const { return n_ranks_; }
  /// The rank that relays samples of a coarse box for an aggregator.
  [[nodiscard]] int coarse_relay(const VirtualGrid& relay_grid, Index number, int aggregator) const;
  /// The coarse boxes that `rank` may relay for some aggregator.
  [[nodiscard]] std::vector<Index> coarse_boxes_of(int rank, const VirtualGrid& relay_grid) const;
  /// In partitions: the coarse boxes that aggregators of a partition relay.
  [[nodiscard]] std::vector<Index> coarse_boxes_in(int partition, const VirtualGrid& relay_grid) const;
  /// Samples of a field's grid per volume of a restructured box.
  [[nodiscard]] double volume_ratio(int field) const {
    return volume_ratios_[static_cast<std::size_t>(field)];
  }

 private:
  /// What the choice of relays for a field depends on.
  struct Need {
    const Layout& layout;
    Box domain;
    Point feeder;     // extent of the boxes that samples come from
    double n_pieces;  // in a buffer
  };
  /// The tiles of a partition among those of more digits: the number of the first one, and how many.
  struct TilesOfPartition {
    Index first = 0, count = 0;
  };
  [[nodiscard]] VirtualGrid coarse_grid(const Need& need, const FieldPatches& field, double limit) const;
  void add_grids_in_partitions(const Need& need, const VirtualGrid& fine, const RelayRules& rules,
                               const TileCut& cut, std::vector<VirtualGrid>& grids) const;
  [[nodiscard]] static TilesOfPartition tiles_of(int partition, const VirtualGrid& relay_grid);
  [[nodiscard]] static Index number_of_tile(Index tile, const VirtualGrid& relay_grid);

  const Ownership* ownership_;
  Index buffer_bytes_ = 0;  // usual_buffer_bytes()
  int n_ranks_ = 1;
  std::vector<double> volume_ratios_;
  std::vector<std::vector<VirtualGrid>> relay_grids_;  // [position in the list of FieldPatches]
};

/// The ranks that relay box `box` of `n_boxes` coarse boxes: [first, last), at least one.
struct CoarseRelays {
  int first = 0, last = 0;

  [[nodiscard]] bool contains(int rank) const { return first <= rank && rank < last; }
  /// The rank that relays samples for an aggregator.
  [[nodiscard]] int of(int aggregator) const { return first + aggregator % (last - first); }
};
CoarseRelays coarse_relays(Index box, Index n_boxes, int n_ranks);
/// The coarse boxes that `rank` is a relay of.
std::vector<Index> coarse_boxes_of(int rank, Index n_boxes, int n_ranks);

/// Finds the relays of the fields' virtual boxes, and caches them while a plan is made.
class RelayFinder {
 public:
  RelayFinder(const Relays& relays, const std::vector<FieldPatches>& fields)
      : relays_(relays), fields_(fields) {}

  /// The relay of box `number` of `relay_grid`, one of relays.relay_grids(field), for an aggregator;
  /// -1 if no rank holds a sample of a box that is not coarse.
  int relay_of(int field, const VirtualGrid& relay_grid, Index number, int aggregator);
  /// The boxes that `rank` may relay for some aggregator.
  std::vector<Index> boxes_relayed_by(int rank, int field, const VirtualGrid& relay_grid);

 private:
  int holder_of_most(int field, const VirtualGrid& relay_grid, Index number);

  const Relays& relays_;
  const std::vector<FieldPatches>& fields_;
  std::map<const Distribution*, std::unordered_map<Index, int>> holders_of_most_;  // of the boxes queried
};

}  // namespace esker
