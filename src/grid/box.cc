#include "esker/types/box.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/checked.h"
#include "base/counting.h"

namespace esker {

Box::Box(std::initializer_list<Index> lo_list, std::initializer_list<Index> hi_list)
    : rank(static_cast<int>(lo_list.size())) {
  assert(lo_list.size() == hi_list.size() && rank <= kMaxRank);
  std::copy(lo_list.begin(), lo_list.end(), lo.begin());
  std::copy(hi_list.begin(), hi_list.end(), hi.begin());
}

Box::Box(int n_axes, const Point& lo_point, const Point& hi_point) : rank(n_axes) {
  assert(0 <= rank && rank <= kMaxRank);
  std::copy_n(lo_point.begin(), rank, lo.begin());
  std::copy_n(hi_point.begin(), rank, hi.begin());
}

Box Box::from_extent(int n_axes, const Point& extent) { return Box(n_axes, Point{}, extent); }

Point Box::extents() const {
  Point out;
  for (int a = 0; a < kMaxRank; ++a) out[a] = extent(a);
  return out;
}

bool Box::empty() const {
  for (int a = 0; a < kMaxRank; ++a) {
    if (hi[a] <= lo[a]) return true;
  }
  return false;
}

Index Box::num_samples() const {
  Index product = 1;
  for (int a = 0; a < rank; ++a) product *= extent(a);
  return product;
}

std::optional<Index> Box::checked_num_samples() const {
  if (empty()) return 0;
  std::optional<Index> product = 1;
  for (int a = 0; a < rank && product; ++a) {
    Index length;
    if (__builtin_sub_overflow(hi[a], lo[a], &length)) return std::nullopt;
    product = checked_mul(*product, length);
  }
  return product;
}

bool Box::contains(const Point& p) const {
  for (int a = 0; a < kMaxRank; ++a) {
    if (p[a] < lo[a] || p[a] >= hi[a]) return false;
  }
  return true;
}

bool Box::contains(const Box& other) const {
  if (other.empty()) return true;
  for (int a = 0; a < kMaxRank; ++a) {
    if (other.lo[a] < lo[a] || other.hi[a] > hi[a]) return false;
  }
  return true;
}

std::string Box::to_string() const {
  std::string out;
  if (first_number() == 1) {  // as a section of an array in Fortran
    for (int a = 0; a < rank; ++a) out += fmt::format("{}{}:{}", a > 0 ? ", " : "(", lo[a] + 1, hi[a]);
    return out + ")";
  }
  for (int a = 0; a < rank; ++a) out += fmt::format("{}[{},{})", a > 0 ? " x " : "", lo[a], hi[a]);
  return out;
}

Box intersect(const Box& a, const Box& b) {
  assert(a.rank == b.rank);
  Box out = a;
  for (int axis = 0; axis < a.rank; ++axis) {
    out.lo[axis] = std::max(a.lo[axis], b.lo[axis]);
    out.hi[axis] = std::min(a.hi[axis], b.hi[axis]);
  }
  return out;
}

}  // namespace esker
