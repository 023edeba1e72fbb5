#include "plan/coarse_distribution.h"

#include <algorithm>

#include "model/coarse_fields.h"

namespace esker {

Box CoarseDistribution::domain() const { return coarse_box(fine_->domain(), level_); }

std::vector<Box> CoarseDistribution::boxes_of(int rank) const {
  std::vector<Box> boxes = fine_->boxes_of(rank);
  for (Box& box : boxes) box = coarse_box(box, level_);
  return boxes;
}

void CoarseDistribution::for_each_meeting(const Box& region, const Visit& visit) const {
  if (region.num_samples() == 0) return;
  Box fine = region;
  for (int a = 0; a < region.rank; ++a) {
    fine.lo[a] = region.lo[a] << level_;
    fine.hi[a] = ((region.hi[a] - 1) << level_) + 1;
  }
  fine_->for_each_meeting(fine, [&](int rank, int patch, const Box& box) {
    const Box coarse = coarse_box(box, level_);
    if (coarse.num_samples() > 0) visit(rank, patch, coarse);
  });
}

Point CoarseDistribution::typical_extent() const {
  Point extent = fine_->typical_extent();
  for (int a = 0; a < fine_->domain().rank; ++a) {
    extent[a] = coarse_box(Box::from_extent(1, {extent[a]}), level_).hi[0];
  }
  return extent;
}

}  // namespace esker
