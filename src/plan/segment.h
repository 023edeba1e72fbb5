// Segment: the unit of transfer, samples of one patch that belong to one part of a piece.
#pragma once

#include "esker/types/box.hpp"
#include "esker/types/lattice.hpp"
#include "grid/order.h"
#include "layout/layout.h"

namespace esker {

/// Samples of one patch, or of one relay, that belong to one part of a piece.
struct Segment {
  Index position = 0;  ///< linear offset of the part; orders the segments of a message
  int field = 0;       ///< index in the list of FieldPatches
  int patch = 0;       ///< index among the sender's boxes of that field; kRelayed: not of a patch
  int relayed = -1;    ///< at the relay: index in RelayStage::relayed of the samples that contain it
  Box indices;         ///< lattice indices in the part
  Lattice samples;     ///< the same samples in the grid
  SampleOrder order;   ///< of the part
  Index sample_bytes = 0;

  [[nodiscard]] Index bytes() const { return indices.num_samples() * sample_bytes; }
};

/// Segment::patch of samples that a relay has collected: they are already in the message.
inline constexpr int kRelayed = -1;

/// The samples `indices` of a part of `piece`, which is at `position`.
Segment make_segment(const Piece& piece, const PiecePart& part, Index position, int field, int patch,
                     const Box& indices);

}  // namespace esker
