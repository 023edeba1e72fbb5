#include "plan/regions.h"

#include <map>
#include <utility>

namespace esker {
namespace {

/// Visits the boxes of a virtual grid whose samples this rank sends or collects for others.
void visit_relayed(const FieldPatches& field, const VirtualGrid& relay_grid, const Relays& relays, int rank,
                   const VisitRegion& visit) {
  const Distribution& holders = *field.holders;
  if (!relay_grid.is_coarse) {
    for (const Box& patch : holders.boxes_of(rank)) {
      relay_grid.for_each_box(patch, [&](Index, const Box& box) { visit(holders, box); });
    }
    return;
  }
  if (relay_grid.levels.first == relay_grid.levels.last) return;
  for (const Index number : relays.coarse_boxes_of(rank, relay_grid)) {
    visit(holders, relay_grid.boxes->box(number));
  }
}

/// Visits the sources of the samples of a part that this rank aggregates. Samples that take coarse relays
/// come from ranks that are known without a query.
void visit_collected(const FieldPatches& field, const VirtualGrid& relay_grid, const PiecePart& part,
                     const VisitRegion& visit) {
  const Distribution& holders = *field.holders;
  const Box bounds = intersect(part.lattice.bounds(), holders.domain());
  if (!relay_grid.boxes) {
    visit(holders, bounds);
  } else if (!relay_grid.is_coarse) {
    relay_grid.for_each_box(bounds, [&](Index, const Box& box) { visit(holders, box); });
  }
}

}  // namespace

void for_each_region_to_know(const PieceSpace& space, const Ownership& ownership,
                             const std::vector<FieldPatches>& fields, const Relays& relays, int rank,
                             const VisitRegion& visit) {
  std::map<std::pair<int, int>, int> number_of_field;  // (layout, field of it) -> position in fields
  for (int f = 0; f < static_cast<int>(fields.size()); ++f) {
    const FieldPatches& field = fields[static_cast<std::size_t>(f)];
    number_of_field[{field.layout, field.field}] = f;
    for (const VirtualGrid& relay_grid : relays.relay_grids(f)) {
      if (relay_grid.boxes) visit_relayed(field, relay_grid, relays, rank, visit);
    }
  }
  const int aggregator = ownership.aggregator_of_rank(rank);
  if (aggregator < 0) return;
  for (const Ownership::Pieces& run : ownership.runs(aggregator)) {
    space.for_each_piece(run.first, run.last, [&](int layout, const Piece& piece) {
      const int f = number_of_field.at({layout, piece.field});
      for (int p = 0; p < piece.num_parts; ++p) {
        const PiecePart part = space.layout(layout).part(piece, p);
        visit_collected(fields[static_cast<std::size_t>(f)], relays.relay_grid(f, part.level), part, visit);
      }
    });
  }
}

}  // namespace esker
