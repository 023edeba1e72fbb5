// Random exchanges for the tests of plans.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "base/checked.h"
#include "formats/idx/idx_layout.h"
#include "grid/partition_boxes.h"
#include "layout/chunked.h"
#include "layout/placed_layout.h"
#include "layout/row_major.h"
#include "plan/partition_ranks.h"
#include "plan/plan.h"
#include "support/tilings.h"

namespace esker::testing_support {

/// Layouts of random grids, and the boxes of their fields on each rank.
struct PlanCase {
  std::vector<std::unique_ptr<Layout>> layouts;
  PieceSpace space;
  std::vector<FieldPatches> fields;
  std::vector<Box> domains;  ///< [field] the grid
  std::vector<Box> stored;   ///< [field] the box of it that the layout has
  int n_ranks = 1;
  int n_partitions = 0;  ///< that have separate layouts; 0: none
};

inline std::shared_ptr<const Distribution> shared(const Box& domain, BoxesOfRanks boxes) {
  return std::make_shared<const BoxListDistribution>(domain, std::move(boxes));
}

inline std::unique_ptr<Layout> random_layout(std::mt19937& random, const Box& box) {
  if (random() % 3 == 0) {
    const Index piece_bytes = 8 * (1 + static_cast<Index>(random() % 100));
    const int axis = static_cast<int>(random() % static_cast<unsigned>(box.rank));
    if (axis > 0 && random() % 2 == 0) {
      const bool in_slabs = axis == box.rank - 1 && random() % 2 == 0;
      ChunkedLayout::Shape shape{box.hi, 64};
      for (int a = 0; a < box.rank && random() % 2 == 0; ++a) shape.chunk[a] = div_up(box.hi[a], 2);
      return std::make_unique<ChunkedLayout>(box.rank, box.hi, 8, shape, 1000,
                                             ChunkedLayout::Tiles{piece_bytes, axis, in_slabs});
    }
    if (random() % 2 == 0) {
      const RowMajorLayout::Stripes stripes{Index{64} << random() % 4, static_cast<Index>(random() % 5000)};
      return std::make_unique<RowMajorLayout>(box.rank, box.hi, 8, 1000, piece_bytes, stripes);
    }
    return std::make_unique<RowMajorLayout>(box.rank, box.hi, 8, 1000, piece_bytes);
  }
  const Bitmask mask = Bitmask::for_extent(box.rank, box.hi).value();
  const int bits = 1 + static_cast<int>(random() % static_cast<unsigned>(mask.max_level()));
  const Index per_file = 1 + static_cast<Index>(random() % 6);
  return std::make_unique<idx::IdxLayout>(
      BlockGrid(mask, bits, box), std::vector<idx::LayoutField>{{4, true}, {8, true}},
      idx::LayoutParameters{per_file, 64, 40 + 80 * per_file,
                            random() % 2 == 0 ? InBlockOrder::kRowMajor : InBlockOrder::kHz});
}

/// Partitions with separate layouts: one for each of their bricks.
inline PlanCase local_case(std::mt19937& random, int n_ranks) {
  PlanCase test;
  test.n_ranks = n_ranks;
  test.n_partitions = 1 + static_cast<int>(random() % static_cast<unsigned>(n_ranks));
  const auto n_grids = 1 + random() % 2;
  for (unsigned g = 0; g < n_grids; ++g) {
    Box box;
    box.rank = 1 + static_cast<int>(random() % 3);
    for (int a = 0; a < box.rank; ++a)
      box.hi[a] = 1 + static_cast<Index>(random() % (box.rank < 3 ? 60 : 15));
    const Bitmask mask = Bitmask::longest_first(box.rank, box.hi).value();
    const auto cut = std::make_shared<const TileCut>(cut_into_partitions(mask, box, test.n_partitions));
    const auto holders =
        shared(box, deal(random_tiling(box, 1 + static_cast<int>(random() % 12), random), n_ranks, random));
    const int most_bits = 1 + static_cast<int>(random() % 6);
    const Index per_file = 1 + static_cast<Index>(random() % 6);
    for (int p = 0; p < test.n_partitions; ++p) {
      for (const Brick& brick : bricks_of_partition(*cut, p)) {
        const Bitmask own = mask_of_brick(mask, brick);
        const Box local = Box::from_extent(box.rank, brick.box.extents());
        auto inner = std::make_shared<const idx::IdxLayout>(
            BlockGrid(own, std::min(most_bits, own.max_level()), local),
            std::vector<idx::LayoutField>{{4, true}, {8, true}},
            idx::LayoutParameters{per_file, 64, 40 + 80 * per_file, InBlockOrder::kRowMajor});
        const auto layout = static_cast<int>(test.layouts.size());
        test.layouts.push_back(
            std::make_unique<PlacedLayout>(std::move(inner), brick.box.lo, OwnPartition{cut, p}));
        for (const int field : {0, 1}) {
          test.fields.push_back({layout, field, holders});
          test.domains.push_back(box);
          test.stored.push_back(brick.box);
        }
      }
    }
  }
  for (const auto& layout : test.layouts) test.space.add(*layout);
  return test;
}

inline PlanCase random_case(std::mt19937& random, int n_ranks) {
  if (random() % 4 == 0) return local_case(random, n_ranks);
  PlanCase test;
  test.n_ranks = n_ranks;
  const int n_layouts = 1 + static_cast<int>(random() % 3);
  for (int l = 0; l < n_layouts; ++l) {
    Box box;
    box.rank = 1 + static_cast<int>(random() % 3);
    for (int a = 0; a < box.rank; ++a)
      box.hi[a] = 1 + static_cast<Index>(random() % (box.rank < 3 ? 60 : 15));
    test.layouts.push_back(random_layout(random, box));
    for (int f = 0; f < test.layouts.back()->num_fields(); ++f) {
      const bool is_alike = f > 0 && random() % 2 == 0;  // as the fields of a mesh
      const auto boxes = random_tiling(box, 1 + static_cast<int>(random() % 12), random);
      test.fields.push_back(
          {l, f, is_alike ? test.fields.back().holders : shared(box, deal(boxes, test.n_ranks, random))});
      test.domains.push_back(box);
      test.stored.push_back(box);
    }
  }
  for (const auto& layout : test.layouts) test.space.add(*layout);
  return test;
}

/// In partitions by one of their rules; all layouts have blocks.
inline Ownership random_partitions(const PlanCase& test, int n_aggregators, Index buffer_bytes,
                                   std::mt19937& random) {
  const bool in_files = random() % 3 == 0, by_tiles = !in_files && random() % 2 == 0;
  const int some = 1 + static_cast<int>(random() % static_cast<unsigned>(n_aggregators));
  const int n = test.n_partitions > 0 ? test.n_partitions : some;
  n_aggregators = std::max(n_aggregators, n);
  PartitionCut cut(test.space, n, in_files);
  std::vector<Index> places;
  for (int r = 0; r < test.n_ranks; ++r) places.push_back(place_of_rank(cut, test.fields, r));
  Placement placement = place_in_partitions(std::move(cut), places, n_aggregators / n);
  placement.by_tiles = by_tiles;
  return {test.space, test.n_ranks, placement, buffer_bytes,
          in_files ? Ownership::Order::kOfFiles : Ownership::Order::kAny};
}

inline bool has_blocks(const PlanCase& test) {
  return std::ranges::all_of(test.layouts, [](const auto& layout) { return layout->block_grid(); });
}

/// By one of the rules.
inline Ownership random_ownership(const PlanCase& test, int n_aggregators, Index buffer_bytes,
                                  std::mt19937& random) {
  using Order = Ownership::Order;
  const auto rule = random() % 3;
  if (has_blocks(test) && random() % 2 == 0) {
    return random_partitions(test, n_aggregators, buffer_bytes, random);
  }
  if (rule < 2 || test.n_partitions > 0) {
    return {test.space, test.n_ranks, n_aggregators, buffer_bytes, rule == 0 ? Order::kAny : Order::kOfFiles};
  }
  std::vector<int> ranks(static_cast<std::size_t>(test.n_ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::shuffle(ranks.begin(), ranks.end(), random);
  ranks.resize(static_cast<std::size_t>(n_aggregators));
  Placement placement{ranks, {}};
  for (const auto& layout : test.layouts) {
    const Box domain = layout->domain();
    placement.bricks.push_back(bricks_like(domain, domain.hi, n_aggregators));
  }
  return {test.space, test.n_ranks, placement, buffer_bytes};
}

}  // namespace esker::testing_support
