#include "esker/types/decomposition.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"

namespace esker {

namespace {

Status check_axis(const std::vector<Index>& cuts, int axis) {
  if (cuts.size() < 2)
    return error(Code::kInvalidArgument, "axis {} has {} cuts, expected 2 or more", axis, cuts.size());
  if (cuts.front() != 0 || cuts.back() < 1) {
    return error(Code::kInvalidArgument, "the cuts of axis {} go from {} to {}, expected 0 to its extent",
                 axis, cuts.front(), cuts.back());
  }
  if (!std::is_sorted(cuts.begin(), cuts.end())) {
    return error(Code::kInvalidArgument, "the cuts of axis {} are not in ascending order", axis);
  }
  return {};
}

Status check_rank(int rank) {
  if (rank >= 1 && rank <= kMaxRank) return {};
  return error(Code::kInvalidArgument, "grid of {} axes, expected 1 to {}", rank, kMaxRank);
}

Status check_grid(int rank, const Point& extent, int n_ranks) {
  ESKER_RETURN_IF_ERROR(check_rank(rank));
  for (int a = 0; a < rank; ++a) {
    if (extent[a] < 1)
      return error(Code::kInvalidArgument, "extent {} on axis {}, expected 1 or more", extent[a], a);
  }
  if (n_ranks < 1)
    return error(Code::kInvalidArgument, "decomposition over {} ranks, expected 1 or more", n_ranks);
  return {};
}

/// Splits [0, extent) into parts of extent / parts points, the first extent % parts of which have one more.
std::vector<Index> even_cuts(Index extent, Index parts) {
  std::vector<Index> cuts{0};
  for (Index i = 0; i < parts; ++i) cuts.push_back(cuts.back() + extent / parts + (extent % parts > i));
  return cuts;
}

/// Quality of a split: first the number of parts that hold points, then the area of its cuts.
struct SplitScore {
  Index parts_with_points = 0;
  double cut_area = 0;  ///< relative: sum of parts / extent, to which the area of all cuts is linear

  [[nodiscard]] bool better_than(const SplitScore& other) const {
    if (parts_with_points != other.parts_with_points) return parts_with_points > other.parts_with_points;
    return cut_area < other.cut_area * (1 - 1e-12);  // ties are ties, regardless of rounding
  }
};

SplitScore score(int rank, const Point& extent, const Point& parts) {
  SplitScore s{1, 0.0};
  for (int a = 0; a < rank; ++a) {
    s.parts_with_points *= std::min(parts[a], extent[a]);
    s.cut_area += static_cast<double>(parts[a]) / static_cast<double>(extent[a]);
  }
  return s;
}

/// Enumerates all ways to write a number of ranks as a product of one factor per axis, and keeps the best;
/// among equals the first, which has the smaller factors on the faster axes.
class NearCubicSearch {
 public:
  NearCubicSearch(int rank, const Point& extent, Index n_ranks) : rank_(rank), extent_(extent) {
    for (Index d = 1; d <= n_ranks / d; ++d) {
      if (n_ranks % d == 0) divisors_.insert(divisors_.end(), {d, n_ranks / d});
    }
    std::sort(divisors_.begin(), divisors_.end());
    parts_.fill(1);
    visit(0, n_ranks);
  }

  [[nodiscard]] const Point& best() const { return best_; }

 private:
  void visit(int axis, Index left) {
    if (axis == rank_ - 1) {
      parts_[axis] = left;
      keep_if_better();
      return;
    }
    for (const Index d : divisors_) {
      if (d > left) break;
      if (left % d != 0) continue;
      parts_[axis] = d;
      visit(axis + 1, left / d);
    }
  }

  void keep_if_better() {
    const SplitScore s = score(rank_, extent_, parts_);
    if (!s.better_than(best_score_)) return;
    best_ = parts_;
    best_score_ = s;
  }

  int rank_;
  Point extent_;
  std::vector<Index> divisors_;
  Point parts_{};
  Point best_{};
  SplitScore best_score_;
};

Point near_cubic_parts(int rank, const Point& extent, Index n_ranks) {
  return NearCubicSearch(rank, extent, n_ranks).best();
}

/// PISM's compute_nprocs (src/util/IceGrid.cc), which rejects strips of less than two points. If its rule
/// leaves ranks without points and another split does not, the other one is used.
Point pism_parts(const Point& extent, Index n_ranks) {
  const double aspect = static_cast<double>(extent[0]) / static_cast<double>(extent[1]);
  const double ideal = std::floor(0.5 + std::sqrt(aspect * static_cast<double>(n_ranks)));
  Index nx = static_cast<Index>(std::clamp(ideal, 1.0, static_cast<double>(n_ranks)));
  while (n_ranks % nx != 0) --nx;
  Index ny = n_ranks / nx;
  if (extent[0] > extent[1] && nx < ny) std::swap(nx, ny);
  if (nx > extent[0] || ny > extent[1]) return near_cubic_parts(2, extent, n_ranks);
  return {nx, ny, 1, 1, 1};
}

}  // namespace

Result<BrickDecomposition> BrickDecomposition::from_cuts(std::vector<std::vector<Index>> cuts) {
  ESKER_RETURN_IF_ERROR(check_rank(static_cast<int>(cuts.size())));
  std::optional<Index> n_parts = 1;
  for (std::size_t a = 0; a < cuts.size(); ++a) {
    ESKER_RETURN_IF_ERROR(check_axis(cuts[a], static_cast<int>(a)));
    n_parts = checked_mul(*n_parts, static_cast<Index>(cuts[a].size()) - 1);
    if (!n_parts) return error(Code::kInvalidArgument, "the number of parts exceeds 64 bits");
  }
  BrickDecomposition out;
  out.cuts_ = std::move(cuts);
  return out;
}

Result<BrickDecomposition> BrickDecomposition::even(int rank, const Point& extent, const Point& parts) {
  ESKER_RETURN_IF_ERROR(check_grid(rank, extent, 1));
  std::vector<std::vector<Index>> cuts;
  for (int a = 0; a < rank; ++a) {
    if (parts[a] < 1)
      return error(Code::kInvalidArgument, "{} parts on axis {}, expected 1 or more", parts[a], a);
    cuts.push_back(even_cuts(extent[a], parts[a]));
  }
  return from_cuts(std::move(cuts));
}

Result<BrickDecomposition> BrickDecomposition::pism(int rank, const Point& extent, int n_ranks) {
  ESKER_RETURN_IF_ERROR(check_grid(rank, extent, n_ranks));
  if (rank == 1) return even(rank, extent, {n_ranks});
  return even(rank, extent, pism_parts(extent, n_ranks));
}

Result<BrickDecomposition> BrickDecomposition::near_cubic(int rank, const Point& extent, int n_ranks) {
  ESKER_RETURN_IF_ERROR(check_grid(rank, extent, n_ranks));
  return even(rank, extent, near_cubic_parts(rank, extent, n_ranks));
}

Index BrickDecomposition::num_parts() const {
  Index product = 1;
  for (int a = 0; a < rank(); ++a) product *= num_parts(a);
  return product;
}

Box BrickDecomposition::box(Index part) const {
  Box out;
  out.rank = rank();
  for (int a = 0; a < rank(); ++a) {
    const Index i = part % num_parts(a);
    part /= num_parts(a);
    out.lo[a] = cuts_[a][i];
    out.hi[a] = cuts_[a][i + 1];
  }
  return out;
}

Index BrickDecomposition::number_of(const Point& part) const {
  Index number = 0;
  for (int a = rank() - 1; a >= 0; --a) number = number * num_parts(a) + part[a];
  return number;
}

Index BrickDecomposition::part_on_axis(int axis, Index coordinate) const {
  const auto& cuts = cuts_[axis];
  return std::upper_bound(cuts.begin(), cuts.end(), coordinate) - cuts.begin() - 1;
}

Index BrickDecomposition::part_of(const Point& p) const {
  Point part{};
  for (int a = 0; a < rank(); ++a) part[a] = part_on_axis(a, p[a]);
  return number_of(part);
}

Box BrickDecomposition::parts_meeting(const Box& box) const {
  Box parts(rank(), Point{}, Point{});
  for (int a = 0; a < rank(); ++a) {
    const Index lo = std::max<Index>(box.lo[a], 0);
    const Index hi = std::min(box.hi[a], cuts_[a].back());
    if (hi <= lo) return Box(rank(), Point{}, Point{});
    parts.lo[a] = part_on_axis(a, lo);
    parts.hi[a] = part_on_axis(a, hi - 1) + 1;
  }
  return parts;
}

}  // namespace esker
