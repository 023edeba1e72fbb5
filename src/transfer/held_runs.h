// The samples of a piece that ranks bring or want, as runs.
#pragma once

#include <cstddef>
#include <span>

#include "esker/types/status.hpp"
#include "plan/distribution.h"
#include "plan/piece_space.h"
#include "plan/sample_mask.h"

namespace esker {

/// Calls visit(begin, end), positions in the piece space, for each run of samples of a piece of layout
/// `number` that are in a box of `holders`. `mask`: memory, a byte for each sample of the piece.
template <class Visit>
void for_each_held_run(const PieceSpace& space, int number, const Piece& piece, const Distribution& holders,
                       std::span<std::byte> mask, const Visit& visit) {
  const Layout& layout = space.layout(number);
  const Index begin = space.first_position(number) + piece.position_bytes;
  SampleMask held(mask.first(static_cast<std::size_t>(piece.size_bytes / piece.sample_bytes)));
  for (int n = 0; n < piece.num_parts; ++n) {
    const PiecePart part = layout.part(piece, n);
    const Box region = intersect(part.lattice.bounds(), layout.domain());
    holders.for_each_meeting(region, [&](int, int, const Box& box) {
      held.hold(part.lattice.indices_in(intersect(box, region)), part.order, part.first_sample);
    });
  }
  (void)held.for_each_run([&](Index first, Index last) {
    visit(begin + first * piece.sample_bytes, begin + last * piece.sample_bytes);
    return Status();
  });
}

}  // namespace esker
