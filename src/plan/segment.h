// Segment: what is moved - samples of one patch that belong to one part of a piece.
#pragma once

#include "esker/box.hpp"
#include "esker/lattice.hpp"
#include "grid/order.h"
#include "layout/layout.h"

namespace esker {

/// Samples of one patch, or of one relay, that belong to one part of a piece.
struct Segment {
  Index position = 0;  ///< of the part; orders the segments of a message
  int field = 0;       ///< position in the list of FieldPatches
  int patch = 0;       ///< position among the sender's boxes of that field; kRelayed: not of a patch
  int relayed = -1;    ///< at the relay: which of RelayHop::relayed it is put in, or is
  Box indices;         ///< lattice indices in the part
  Lattice samples;     ///< the same samples in the grid
  SampleOrder order;   ///< of the part
  Index sample_bytes = 0;

  [[nodiscard]] Index bytes() const { return indices.num_samples() * sample_bytes; }
};

/// Segment::patch of samples that a relay has collected: they stand in the message already.
inline constexpr int kRelayed = -1;

/// The samples `indices` of a part of `piece`, which is at `position`.
Segment make_segment(const Piece& piece, const PiecePart& part, Index position, int field, int patch,
                     const Box& indices);

}  // namespace esker
