#include "plan/cell_distribution.h"

#include "grid/cells.h"

namespace esker {
namespace {

/// From the lowest sample of the first cell to that of the last.
Box lowest_samples(const Box& cells) {
  Box samples = samples_of_cells(cells);
  for (int a = 0; a < cells.rank; ++a) samples.hi[a] -= kCellEdge - 1;
  return samples;
}

}  // namespace

Box CellDistribution::domain() const {
  const Box samples = samples_->domain();
  return cells_meeting(samples, samples.rank);
}

std::vector<Box> CellDistribution::boxes_of(int rank) const {
  std::vector<Box> boxes = samples_->boxes_of(rank);
  for (Box& box : boxes) box = cells_begun_in(box);
  return boxes;
}

void CellDistribution::for_each_meeting(const Box& region, const Visit& visit) const {
  if (region.empty()) return;
  samples_->for_each_meeting(lowest_samples(region), [&](int rank, int patch, const Box& box) {
    const Box cells = cells_begun_in(box);
    if (!intersect(cells, region).empty()) visit(rank, patch, cells);
  });
}

Distribution::Known CellDistribution::known_by(const Box& region) const {
  return samples_->known_by(region.empty() ? samples_of_cells(region) : lowest_samples(region));
}

Point CellDistribution::typical_extent() const {
  Point extent = samples_->typical_extent();
  for (int a = 0; a < samples_->domain().rank; ++a) extent[a] = ceil_div(extent[a], kCellEdge);
  return extent;
}

}  // namespace esker
