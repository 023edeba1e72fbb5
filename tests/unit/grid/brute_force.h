// The HZ order by its definition, for masks that are small enough to list all samples. This code does not use
// the formulas of src/grid.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/lattice.hpp"
#include "grid/bitmask.h"

namespace esker {

// GoogleTest prints values with these.
inline void PrintTo(const Box& box, std::ostream* os) { *os << box.to_string(); }
inline void PrintTo(const Lattice& lattice, std::ostream* os) { *os << lattice.to_string(); }
inline void PrintTo(const Bitmask& mask, std::ostream* os) { *os << mask.to_string(); }

}  // namespace esker

namespace esker::testing_support {

inline constexpr Index kMin = std::numeric_limits<Index>::min();
inline constexpr Index kMax = std::numeric_limits<Index>::max();

/// All points of a box, x fastest.
inline std::vector<Point> points_of(const Box& box) {
  std::vector<Point> out;
  Point p;
  for (p[4] = box.lo[4]; p[4] < box.hi[4]; ++p[4])
    for (p[3] = box.lo[3]; p[3] < box.hi[3]; ++p[3])
      for (p[2] = box.lo[2]; p[2] < box.hi[2]; ++p[2])
        for (p[1] = box.lo[1]; p[1] < box.hi[1]; ++p[1])
          for (p[0] = box.lo[0]; p[0] < box.hi[0]; ++p[0]) out.push_back(p);
  return out;
}

/// The points of a lattice, x fastest, by addition only.
inline std::vector<Point> points_of(const Lattice& lattice) {
  std::vector<Point> out{lattice.origin};
  for (int a = 0; a < kMaxRank; ++a) {
    std::vector<Point> longer;
    for (Index i = 0; i < lattice.count[a]; ++i) {
      for (Point p : out) {
        p[a] += i * lattice.stride[a];
        longer.push_back(p);
      }
    }
    out = std::move(longer);
  }
  return out;
}

inline std::set<Point> as_set(const std::vector<Point>& points) { return {points.begin(), points.end()}; }

/// The bisection that a mask describes, carried out: after h splits the pow2 box is a list of cells, in
/// order; the samples of level h are the lower corners that are not corners of an earlier list.
struct BruteOrder {
  std::vector<Point> z_order;                    ///< all samples along the Z curve
  std::vector<Point> hz_order;                   ///< all samples, coarse to fine
  std::map<Point, Index> hz;                     ///< its inverse
  std::vector<std::vector<Point>> new_at_level;  ///< per level

  explicit BruteOrder(const std::string& mask) {
    Point size{1, 1, 1, 1, 1};
    for (const char c : mask.substr(1)) size[c - '0'] *= 2;
    std::vector<Point> corners{Point{}};
    append_level(corners);
    for (const char c : mask.substr(1)) {
      const int axis = c - '0';
      size[axis] /= 2;
      std::vector<Point> finer;
      for (Point corner : corners) {
        finer.push_back(corner);
        corner[axis] += size[axis];
        finer.push_back(corner);
      }
      corners = std::move(finer);
      append_level(corners);
    }
    z_order = std::move(corners);
  }

 private:
  void append_level(const std::vector<Point>& corners) {
    new_at_level.emplace_back();
    for (const Point& p : corners) {
      if (!hz.emplace(p, static_cast<Index>(hz_order.size())).second) continue;
      hz_order.push_back(p);
      new_at_level.back().push_back(p);
    }
  }
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  /// Uniform in [lo, hi], both included.
  Index in(Index lo, Index hi) { return std::uniform_int_distribution<Index>(lo, hi)(engine_); }

  /// A mask of `n_digits` digits on up to `n_axes` axes, in no particular order.
  std::string mask(int n_axes, int n_digits) {
    std::string text = "V";
    for (int i = 0; i < n_digits; ++i) text += static_cast<char>('0' + in(0, n_axes - 1));
    return text;
  }

  /// A box inside `outer`, not empty.
  Box box_in(const Box& outer) {
    Box box = outer;
    for (int a = 0; a < outer.rank; ++a) {
      box.lo[a] = in(outer.lo[a], outer.hi[a] - 1);
      box.hi[a] = in(box.lo[a] + 1, outer.hi[a]);
    }
    return box;
  }

  Point point_in(const Box& box) {
    Point p{};
    for (int a = 0; a < box.rank; ++a) p[a] = in(box.lo[a], box.hi[a] - 1);
    return p;
  }

  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

/// Runs body(text, mask, random) for random masks of 1-5 axes and 1 ... max_digits digits.
template <class Body>
void for_random_masks(unsigned seed, int n_masks, int max_digits, Body body) {
  Random random(seed);
  for (int i = 0; i < n_masks; ++i) {
    const std::string text = random.mask(1 + i % kMaxRank, static_cast<int>(random.in(1, max_digits)));
    SCOPED_TRACE(text);
    body(text, Bitmask::parse(text).value(), random);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace esker::testing_support
