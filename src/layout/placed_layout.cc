#include "layout/placed_layout.h"

#include <algorithm>

#include "base/checked.h"
#include "grid/move_box.h"

namespace esker {

Box PlacedLayout::domain() const { return moved_to(corner_, inner_->domain()); }

/// Without the samples past the domain, which come last on each axis, so that the order is that of the
/// others.
PiecePart PlacedLayout::in_grid(PiecePart part) const {
  const Box domain = inner_->domain();
  Lattice& lattice = part.lattice;
  for (int a = 0; a < lattice.rank; ++a) {
    const Index inside = ceil_div(std::max<Index>(0, domain.hi[a] - lattice.origin[a]), lattice.stride[a]);
    lattice.count[a] = std::min(lattice.count[a], inside);
    lattice.origin[a] += corner_[a];
  }
  return part;
}

std::vector<Index> PlacedLayout::bricks_here(const BrickDecomposition& bricks) const {
  if (bricks.num_parts() == 1) return {0};
  const auto middle_of = [](const Box& box) {
    Point middle{};
    for (int a = 0; a < box.rank; ++a) middle[a] = box.lo[a] + (box.hi[a] - box.lo[a]) / 2;
    return middle;
  };
  const Box here = domain();
  std::vector<Index> found;
  for (Index brick = 0; brick < bricks.num_parts(); ++brick) {
    const Box box = bricks.box(brick);
    if (!box.empty() && here.contains(middle_of(box))) found.push_back(brick);
  }
  if (found.empty()) found.push_back(bricks.part_of(middle_of(here)));
  return found;
}

std::vector<std::vector<Layout::Run>> PlacedLayout::runs_of_shares(const BrickDecomposition& bricks) const {
  std::vector<std::vector<Run>> shares(static_cast<std::size_t>(bricks.num_parts()));
  const std::vector<Index> here = bricks_here(bricks);
  const Box domain = inner_->domain();
  const auto own = BrickDecomposition::near_cubic(domain.rank, domain.hi, static_cast<int>(here.size()));
  if (!own.ok()) {  // not for the domain of a layout
    shares[static_cast<std::size_t>(here.front())] = {{0, num_pieces()}};
    return shares;
  }
  std::vector<std::vector<Run>> of_here = inner_->runs_of_shares(*own);
  for (std::size_t n = 0; n < here.size(); ++n) {
    shares[static_cast<std::size_t>(here[n])] = std::move(of_here[n]);
  }
  return shares;
}

void PlacedLayout::for_each_segment(int field, const Box& box, Levels levels,
                                    const VisitSegment& visit) const {
  const Box inside = intersect(box, domain());
  if (inside.empty()) return;
  inner_->for_each_segment(field, moved_from(corner_, inside), levels,
                           [&](const Piece& piece, const PiecePart& part, const Box& indices) {
                             visit(piece, in_grid(part), indices);
                           });
}

}  // namespace esker
