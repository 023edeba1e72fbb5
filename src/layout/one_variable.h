// OneVariableLayout: the common part of layouts of one variable, usually in one file.
#pragma once

#include <algorithm>

#include "base/max_part.h"
#include "layout/layout.h"

namespace esker {

/// The requested size of pieces, limited to the maximum of one call.
inline Index within_a_call(Index piece_bytes) {
  return std::min(piece_bytes, static_cast<Index>(max_part_bytes()) / 2);
}

class OneVariableLayout : public Layout {
 public:
  [[nodiscard]] Box domain() const final { return domain_; }
  [[nodiscard]] Index num_fields() const final { return 1; }
  [[nodiscard]] Index num_files() const override { return 1; }
  [[nodiscard]] Index most_writers() const final { return num_pieces(); }
  [[nodiscard]] Index place_on_curve(const Piece& piece) const override { return piece.ordinal; }
  [[nodiscard]] Levels levels() const final { return {0, 1}; }
  /// Contiguous domains in the order of pieces, unless a layout overrides this.
  [[nodiscard]] std::vector<std::vector<Run>> runs_of_shares(
      const BrickDecomposition& bricks) const override {
    return stretches_of_shares(num_pieces(), bricks);
  }

 protected:
  /// The samples of [0, extent), `sample_bytes` each, from byte `offset_bytes` of the file on.
  OneVariableLayout(int rank, const Point& extent, Index sample_bytes, Index offset_bytes)
      : domain_(Box::from_extent(rank, extent)), sample_bytes_(sample_bytes), offset_bytes_(offset_bytes) {}

  /// A piece that is contiguous in the file, as are all pieces of the variable together.
  [[nodiscard]] Piece contiguous_piece(Index ordinal, int num_parts) const {
    Piece piece;
    piece.ordinal = piece.id = ordinal;
    piece.position_bytes = position_bytes(ordinal);
    piece.offset_bytes = offset_bytes_ + piece.position_bytes;
    piece.size_bytes = position_bytes(ordinal + 1) - piece.position_bytes;
    piece.sample_bytes = sample_bytes_;
    piece.num_parts = num_parts;
    return piece;
  }

  /// A part that is a box, x fastest, `first_sample` samples after the start of its piece.
  static PiecePart box_part(const Box& box, Index first_sample = 0) {
    PiecePart part;
    part.lattice.rank = box.rank;
    part.lattice.origin = box.lo;
    part.lattice.count = box.extents();
    part.first_sample = first_sample;
    part.order = row_major_order(box.rank, part.lattice.count);
    return part;
  }

  Box domain_;
  Index sample_bytes_;
  Index offset_bytes_;
};

}  // namespace esker
