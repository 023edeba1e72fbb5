#include "plan/known_boxes.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "grid/move_box.h"
#include "grid/points.h"

namespace esker {
namespace {

/// A rough estimate of the neighbors of a part: its area divided by its volume.
double roughness(const BrickDecomposition& bricks) {
  double sum = 0;
  for (int a = 0; a < bricks.rank(); ++a) {
    sum += static_cast<double>(bricks.num_parts(a)) / static_cast<double>(bricks.cuts(a).back());
  }
  return sum;
}

bool has_empty_parts(const BrickDecomposition& bricks) {
  for (int a = 0; a < bricks.rank(); ++a) {
    if (bricks.num_parts(a) > bricks.cuts(a).back()) return true;
  }
  return false;
}

/// One brick per rank, as models split their grids; fewer where that would make thin or empty bricks.
BrickDecomposition cut_in_bricks(const Box& domain, int n_ranks) {
  const auto cut = [&](int n) { return BrickDecomposition::near_cubic(domain.rank, domain.hi, n).value(); };
  BrickDecomposition bricks = cut(n_ranks);
  auto fewer = static_cast<int>(std::bit_floor(static_cast<unsigned>(n_ranks)));
  BrickDecomposition even = cut(fewer);
  while (fewer > 1 && has_empty_parts(even)) even = cut(fewer /= 2);
  return has_empty_parts(bricks) || roughness(bricks) > 2 * roughness(even) ? even : bricks;
}

bool same_place(const HeldBox& a, const HeldBox& b) { return a.rank == b.rank && a.patch == b.patch; }

}  // namespace

DirectoryOwners::DirectoryOwners(const Box& domain, int n_ranks)
    : n_ranks_(n_ranks), bricks_(cut_in_bricks(domain, n_ranks)) {}

int DirectoryOwners::owner_of(Index brick) const {
  return static_cast<int>(brick * n_ranks_ / bricks_.num_parts());
}

Index DirectoryOwners::brick_of(int rank) const {
  const Index brick = div_up(rank * bricks_.num_parts(), n_ranks_);
  return brick < bricks_.num_parts() && owner_of(brick) == rank ? brick : -1;
}

void DirectoryOwners::for_each_brick(const Box& region, const Visit& visit) const {
  for_each_index_point(bricks_.parts_meeting(region), [&](const Point& part) {
    const Index brick = bricks_.number_of(part);
    visit(brick, intersect(bricks_.box(brick), region));
  });
}

BoxQueries queries_for(const DirectoryOwners& owners, std::vector<Box> regions) {
  const auto before = [](const Box& a, const Box& b) { return std::tie(a.lo, a.hi) < std::tie(b.lo, b.hi); };
  std::sort(regions.begin(), regions.end(), before);  // fields of one grid have the same regions
  regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
  BoxQueries queries;
  for (const Box& region : regions) {
    owners.for_each_brick(region, [&](Index brick, const Box& part) {
      const auto [known, is_new] = queries.try_emplace(brick, part);
      if (!is_new) known->second = hull(known->second, part);
    });
  }
  return queries;
}

KnownBoxes::KnownBoxes(const Box& domain, int n_ranks, int rank, std::vector<Box> mine,
                       const BoxTotals& totals)
    : domain_(domain),
      owners_(domain, n_ranks),
      rank_(rank),
      mine_(std::move(mine)),
      num_put_(totals.n_put),
      typical_extent_(mean_extent(domain, totals)),
      index_({}) {}

bool KnownBoxes::knows(const BoxQueries& queries) const {
  return std::all_of(queries.begin(), queries.end(), [&](const auto& query) {
    const auto asked = asked_.find(query.first);
    return asked != asked_.end() && asked->second.contains(query.second);
  });
}

void KnownBoxes::learn(BoxQueries asked, std::vector<HeldBox> boxes) {
  std::sort(boxes.begin(), boxes.end(), [](const HeldBox& a, const HeldBox& b) {
    return std::tie(a.rank, a.patch) < std::tie(b.rank, b.patch);
  });
  boxes.erase(std::unique(boxes.begin(), boxes.end(), same_place), boxes.end());
  index_ = BoxIndex(std::move(boxes));
  asked_ = std::move(asked);
}

std::vector<Box> KnownBoxes::boxes_of(int rank) const {
  if (rank != rank_) throw std::logic_error("a plan requests all boxes of another rank");
  return mine_;
}

void KnownBoxes::for_each_meeting(const Box& region, const Visit& visit) const {
  owners_.for_each_brick(region, [&](Index brick, const Box& part) {
    const auto asked = asked_.find(brick);
    if (asked != asked_.end() && asked->second.contains(part)) return;
    throw std::logic_error("a plan needs boxes that this rank has not requested, in " + part.to_string());
  });
  for (const HeldBox* held : index_.meeting(region)) visit(held->rank, held->patch, held->box);
}

}  // namespace esker
