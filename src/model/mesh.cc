#include "esker/types/mesh.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "base/checked.h"
#include "base/error.h"

namespace esker {

Point Mesh::ratio_to_finest(int level) const {
  Point ratio{1, 1, 1, 1, 1};
  for (std::size_t n = static_cast<std::size_t>(level); n < ratios.size(); ++n) {
    for (int a = 0; a < rank(); ++a) ratio[a] *= ratios[n][a];
  }
  return ratio;
}

Box Mesh::domain(int level) const {
  Point end = extent;
  for (int n = 0; n < level; ++n) {
    for (int a = 0; a < rank(); ++a) end[a] *= ratios[static_cast<std::size_t>(n)][a];
  }
  if (centering == Centering::kNodes) {
    for (int a = 0; a < rank(); ++a) ++end[a];
  }
  return Box::from_extent(rank(), end);
}

Box Mesh::in_finest(const Box& box, int level) const {
  const Point ratio = ratio_to_finest(level);
  const Box finest = domain(num_levels() - 1);
  Box scaled = box;
  for (int a = 0; a < box.rank; ++a) {
    scaled.lo[a] = box.lo[a] * ratio[a];
    scaled.hi[a] = std::min(box.hi[a] * ratio[a], finest.hi[a]);  // the last nodes have no cell
  }
  return scaled;
}

namespace {

/// Cells of the finest level on an axis; nothing if there are too many.
std::optional<Index> finest_extent(const Mesh& mesh, int axis) {
  std::optional<Index> extent = mesh.extent[axis];
  for (const Point& ratio : mesh.ratios) {
    if (extent) extent = checked_mul(*extent, ratio[axis]);
  }
  constexpr Index kMost = Index{1} << 61;  // so that ends and sums of indices do not overflow
  return extent && *extent <= kMost ? extent : std::nullopt;
}

}  // namespace

Status Mesh::check() const {
  if (axes.empty() || rank() > kMaxRank) {
    return error(Code::kInvalidArgument, "a mesh with {} axes, expected 1 to {}", rank(), kMaxRank);
  }
  for (const Point& ratio : ratios) {
    if (std::all_of(ratio.begin(), ratio.begin() + rank(), [](Index r) { return r == 1; })) {
      return error(Code::kInvalidArgument, "a level with the ratio 1 on all axes, expected a finer one");
    }
  }
  for (int a = 0; a < rank(); ++a) {
    if (extent[a] < 1) {
      return error(Code::kInvalidArgument, "extent {} of axis '{}', expected at least 1", extent[a], axes[a]);
    }
    for (const Point& ratio : ratios) {
      if (ratio[a] >= 1) continue;
      return error(Code::kInvalidArgument, "ratio {} of axis '{}', expected at least 1", ratio[a], axes[a]);
    }
    if (finest_extent(*this, a)) continue;
    return error(Code::kOutOfRange, "axis '{}' has more than 2^61 cells on the finest level", axes[a]);
  }
  return {};
}

Status Mesh::check_array() const {
  constexpr int kMostDigits = 62;
  int digits = 0;
  for (int a = 0; a < rank(); ++a) {
    for (const Point& ratio : ratios) {
      if (std::has_single_bit(static_cast<std::uint64_t>(ratio[a]))) continue;
      return error(
          Code::kInvalidArgument,
          "ratio {} of axis '{}', expected a power of two, which the array of all levels needs; write "
          "whole levels instead, to a file of format vtkhdf",
          ratio[a], axes[a]);
    }
    const Index last = extent[a] - (centering == Centering::kCells ? 1 : 0);
    digits += std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(last))));
    for (const Point& ratio : ratios) digits += std::countr_zero(static_cast<std::uint64_t>(ratio[a]));
  }
  if (digits <= kMostDigits) return {};
  return error(
      Code::kOutOfRange,
      "the finest level needs {} binary digits for its indices, an array has at most {}; write whole "
      "levels instead, to a file of format vtkhdf",
      digits, kMostDigits);
}

}  // namespace esker
