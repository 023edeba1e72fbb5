#include "resample.h"

#include <algorithm>
#include <utility>

#include "grid.h"

namespace pism {
namespace {

using Axis = std::vector<double>;

/// The interval of the axis, 0 ... size - 2, that contains `at`.
Index interval_of(const Axis& axis, double at) {
  const auto above = std::upper_bound(axis.begin() + 1, axis.end() - 1, at);
  return above - axis.begin() - 1;
}

/// The position of `at` within interval `i` of the axis, 0 ... 1.
double along(const Axis& axis, Index i, double at) { return (at - axis[i]) / (axis[i + 1] - axis[i]); }

/// Removes zero weights at the ends, because the values there may be missing.
Stencil trimmed(Index first, std::vector<double> weights) {
  while (weights.size() > 1 && weights.back() == 0) weights.pop_back();
  const auto start = std::find_if(weights.begin(), weights.end(), [](double w) { return w != 0; });
  first += start - weights.begin();
  weights.erase(weights.begin(), start);
  return {first, std::move(weights)};
}

Stencil at_point(const Axis& source, double at) {
  const Index i = interval_of(source, at);
  const double t = along(source, i, at);
  return trimmed(i, {1.0 - t, t});
}

/// Mean over [lo, hi], which is not empty and lies in the source: integrals of the straight lines.
Stencil over_cell(const Axis& source, double lo, double hi) {
  const Index first = interval_of(source, lo), last = interval_of(source, hi);
  std::vector<double> weights(last - first + 2, 0.0);
  for (Index i = first; i <= last; ++i) {
    const double from = i == first ? along(source, i, lo) : 0.0, to = i == last ? along(source, i, hi) : 1.0;
    const double share = (source[i + 1] - source[i]) / (hi - lo), right = 0.5 * (to * to - from * from);
    weights[i - first] += share * (to - from - right);
    weights[i - first + 1] += share * right;
  }
  return trimmed(first, std::move(weights));
}

}  // namespace

std::vector<Stencil> resampling_stencils(const Axis& source, const Axis& targets, Index first, Index count,
                                         Sampling sampling) {
  constexpr double kSame = 1e-6;  // relative; the tolerance of axis_spacing
  const double spacing = axis_spacing(targets, "of the grid");
  const bool coarser = spacing > (1.0 + kSame) * axis_spacing(source, "of the input");
  std::vector<Stencil> stencils;
  stencils.reserve(count);
  for (Index n = first; n < first + count; ++n) {
    const double at = std::clamp(targets[n], source.front(), source.back());
    const double reach = std::min({0.5 * spacing, at - source.front(), source.back() - at});
    const bool cell = sampling == Sampling::kCells && coarser && reach > kSame * spacing;
    stencils.push_back(cell ? over_cell(source, at - reach, at + reach) : at_point(source, at));
  }
  return stencils;
}

}  // namespace pism
