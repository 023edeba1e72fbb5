// Random decompositions: boxes that tile a domain, distributed over ranks.
#pragma once

#include <random>
#include <vector>

#include "esker/types/box.hpp"

namespace esker::testing_support {

/// Splits `domain` into at most `n_boxes` boxes by random cuts.
inline std::vector<Box> random_tiling(const Box& domain, int n_boxes, std::mt19937& random) {
  std::vector<Box> boxes{domain};
  for (int tries = 0; static_cast<int>(boxes.size()) < n_boxes && tries < 10 * n_boxes; ++tries) {
    Box& box = boxes[random() % boxes.size()];
    const int axis = static_cast<int>(random() % static_cast<unsigned>(domain.rank));
    if (box.extent(axis) < 2) continue;
    const Index cut =
        box.lo[axis] + 1 + static_cast<Index>(random() % static_cast<unsigned>(box.extent(axis) - 1));
    Box upper = box;
    box.hi[axis] = cut;
    upper.lo[axis] = cut;
    boxes.push_back(upper);
  }
  return boxes;
}

/// [rank] -> boxes; some ranks may have none, some several.
inline std::vector<std::vector<Box>> deal(const std::vector<Box>& boxes, int n_ranks, std::mt19937& random) {
  std::vector<std::vector<Box>> of_rank(static_cast<std::size_t>(n_ranks));
  for (const Box& box : boxes) of_rank[random() % of_rank.size()].push_back(box);
  return of_rank;
}

}  // namespace esker::testing_support
