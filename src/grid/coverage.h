// Coverage: checks whether boxes tile a domain, each sample exactly once.
#pragma once

#include <optional>
#include <vector>

#include "esker/types/box.hpp"

namespace esker {

/// One place where boxes do not tile their domain.
struct CoverageDefect {
  Box where;        ///< the defect: part of a gap, or all samples that two boxes share
  int first = -1;   ///< index of a box that covers `where`; -1: none (a gap)
  int second = -1;  ///< index of another box that covers it (an overlap); -1 for a gap
};

/// The first defect found, or nothing if `boxes` cover every sample of `domain` exactly once. Boxes may
/// extend past the domain; empty ones are ignored. Deterministic: the same list gives the same result on
/// every rank. With `may_have_gaps` only overlaps are defects. Recursive bisection at box faces: O(n log n)
/// for boxes that tile.
std::optional<CoverageDefect> find_coverage_defect(const Box& domain, const std::vector<Box>& boxes,
                                                   bool may_have_gaps = false);

/// The first two boxes found that share more than border samples, or nothing. Boxes may share samples that
/// are the last ones of one box and the first ones of the other along some axis, as node-centered patches do.
/// `where` is all that the two share. Empty boxes are ignored. Deterministic. O(n log n) for n boxes without
/// such an overlap.
std::optional<CoverageDefect> find_inner_overlap(const std::vector<Box>& boxes);

}  // namespace esker
