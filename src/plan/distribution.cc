#include "plan/distribution.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checked.h"
#include "grid/points.h"

namespace esker {
namespace {

/// The square root, rounded up.
Index root_up(Index value) {
  auto root = static_cast<Index>(std::sqrt(static_cast<double>(value)));
  while (root * root < value) ++root;
  return root;
}

std::vector<HeldBox> list_boxes(const BoxesOfRanks& of_rank) {
  std::vector<HeldBox> list;
  for (std::size_t r = 0; r < of_rank.size(); ++r) {
    for (std::size_t p = 0; p < of_rank[r].size(); ++p) {
      list.push_back({of_rank[r][p], static_cast<int>(r), static_cast<int>(p)});
    }
  }
  return list;
}

BoxTotals add_up(const std::vector<HeldBox>& boxes) {
  BoxTotals totals;
  totals.n_boxes = static_cast<Index>(boxes.size());
  for (const HeldBox& held : boxes) {
    for (int a = 0; a < kMaxRank; ++a) totals.extents[a] += held.box.extent(a);
  }
  return totals;
}

}  // namespace

Point mean_extent(const Box& domain, const BoxTotals& totals) {
  if (totals.n_boxes == 0) return domain.extents();
  Point mean{};
  for (int a = 0; a < kMaxRank; ++a) mean[a] = div_up(totals.extents[a], totals.n_boxes);
  return mean;
}

BrickDecomposition bricks_like(const Box& domain, const Point& typical_extent, int n) {
  Point bricks{1, 1, 1, 1, 1};
  Index n_bricks = 1;
  for (int a = 0; a < domain.rank; ++a) {
    bricks[a] = std::max<Index>(1, (domain.hi[a] + typical_extent[a] / 2) / typical_extent[a]);
    n_bricks = bricks[a] > n / n_bricks ? Index{n} + 1 : n_bricks * bricks[a];
  }
  return n_bricks == n ? BrickDecomposition::even(domain.rank, domain.hi, bricks).value()
                       : BrickDecomposition::near_cubic(domain.rank, domain.hi, n).value();
}

BrickDecomposition Distribution::coarse_cut() const {
  const Point extents = domain().extents(), typical = typical_extent();
  std::vector<std::vector<Index>> cuts;
  for (int a = 0; a < domain().rank; ++a) {
    const Index n_parts = div_up(extents[a], typical[a]), n_boxes = root_up(n_parts);
    std::vector<Index>& on_axis = cuts.emplace_back();
    for (Index b = 0; b <= n_boxes; ++b) {
      const Index part = n_parts / n_boxes * b + n_parts % n_boxes * b / n_boxes;
      on_axis.push_back(extents[a] / n_parts * part + std::min(part, extents[a] % n_parts));
    }
  }
  return BrickDecomposition::from_cuts(std::move(cuts)).value();
}

void Distribution::add_shares(const Lattice& samples, const Box& region, std::vector<Share>& shares) const {
  for_each_meeting(intersect(samples.bounds(), region), [&](int rank, int, const Box& box) {
    const Index count = samples.indices_in(intersect(box, region)).num_samples();
    if (count > 0) shares.push_back({rank, count});
  });
}

Box BrickDistribution::domain() const {
  Point extent{1, 1, 1, 1, 1};
  for (int a = 0; a < parts_.rank(); ++a) extent[a] = parts_.cuts(a).back();
  return Box::from_extent(parts_.rank(), extent);
}

std::vector<Box> BrickDistribution::boxes_of(int rank) const {
  if (rank >= parts_.num_parts()) return {};
  const Box box = parts_.box(rank);
  return box.empty() ? std::vector<Box>{} : std::vector<Box>{box};
}

void BrickDistribution::for_each_meeting(const Box& region, const Visit& visit) const {
  for_each_index_point(parts_.parts_meeting(region), [&](const Point& part) {
    const Index number = parts_.number_of(part);
    const Box box = parts_.box(number);
    if (!box.empty()) visit(static_cast<int>(number), 0, box);
  });
}

// The number of samples in part (i, j, k) is a product of one number per axis. Axis by axis, each share of
// the previous axes is split into one for each part that intersects the region.
void BrickDistribution::add_shares(const Lattice& samples, const Box& region,
                                   std::vector<Share>& shares) const {
  const Box where = intersect(samples.bounds(), region);
  const Box met = parts_.parts_meeting(where);
  if (met.empty()) return;
  const std::size_t first = shares.size();
  shares.push_back({0, 1});
  for (int a = parts_.rank() - 1; a >= 0; --a) {
    const Index* cuts = parts_.cuts(a).data();
    const auto before = [&](Index at) {  // samples before a cut
      return div_up(std::clamp(at, where.lo[a], where.hi[a]) - samples.origin[a], samples.stride[a]);
    };
    const std::size_t end = shares.size();
    Index last = before(where.lo[a]);
    for (Index part = met.lo[a]; part < met.hi[a]; ++part) {
      const Index next = before(cuts[part + 1]);
      const Index on_axis = next - std::exchange(last, next);
      for (std::size_t s = first; on_axis > 0 && s < end; ++s) {
        const Index number = shares[s].rank * parts_.num_parts(a) + part;
        shares.push_back({static_cast<int>(number), shares[s].n_samples * on_axis});
      }
    }
    shares.erase(shares.begin() + static_cast<std::ptrdiff_t>(first),
                 shares.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

Point BrickDistribution::typical_extent() const {
  Point extent{1, 1, 1, 1, 1};
  for (int a = 0; a < parts_.rank(); ++a) {
    const Index points = parts_.cuts(a).back();
    extent[a] = div_up(points, std::min(points, parts_.num_parts(a)));
  }
  return extent;
}

BoxListDistribution::BoxListDistribution(const Box& domain, BoxesOfRanks boxes)
    : domain_(domain),
      of_rank_(std::move(boxes)),
      index_(list_boxes(of_rank_)),
      typical_extent_(mean_extent(domain_, add_up(index_.boxes()))) {}

void BoxListDistribution::for_each_meeting(const Box& region, const Visit& visit) const {
  for (const HeldBox* held : index_.meeting(region)) visit(held->rank, held->patch, held->box);
}

}  // namespace esker
