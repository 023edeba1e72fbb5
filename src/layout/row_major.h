// RowMajorLayout: a variable stored contiguously in a file, row by row, x fastest, as in CDF files and in
// contiguous HDF5 datasets.
//
// Its pieces are ranges of equal size. A range is not a box, but the union of at most 2 * rank - 1 boxes: the
// partial rows, planes ... at its ends, and the part between them. These are its parts, in order. They are as
// wide as the grid, and wider than the boxes of a rank, so each file domain is contiguous. If only the
// slowest axis is split, the domain is the part inside the brick. Alternatively, domains are sets of stripes
// of the file, assigned round-robin.
#pragma once

#include <array>

#include "layout/one_variable.h"

namespace esker {

class RowMajorLayout final : public OneVariableLayout {
 public:
  /// The samples of [0, extent), `sample_bytes` each, from byte `offset_bytes` of the file on, in pieces of
  /// at most `piece_bytes`, but at least one sample.
  RowMajorLayout(int rank, const Point& extent, Index sample_bytes, Index offset_bytes, Index piece_bytes);

  /// Stripes of the file: byte b is in stripe b / size_bytes.
  struct Stripes {
    Index size_bytes = 0;
    Index offset_bytes = 0;  ///< where the variable begins in the file, at the step that is laid out
  };
  /// The same, with pieces that end at stripe boundaries; a sample in two stripes belongs to the first.
  /// Stripe s belongs to domain s % the number of domains. `stripes.size_bytes` >= 2 * sample_bytes.
  RowMajorLayout(int rank, const Point& extent, Index sample_bytes, Index offset_bytes, Index piece_bytes,
                 const Stripes& stripes);

  [[nodiscard]] Index num_pieces() const override;
  [[nodiscard]] Piece piece(Index ordinal) const override;
  [[nodiscard]] PiecePart part(const Piece& piece, int number) const override;
  [[nodiscard]] Index position_bytes(Index ordinal) const override;
  [[nodiscard]] FileSpan file_at(Index position) const override;
  [[nodiscard]] Index largest_piece_bytes() const override;
  [[nodiscard]] std::vector<std::vector<Run>> runs_of_shares(const BrickDecomposition& bricks) const override;
  [[nodiscard]] Point tile_extent(int level) const override;
  void for_each_segment(int field, const Box& box, Levels levels, const VisitSegment& visit) const override;
  using Layout::for_each_segment;

 private:
  /// The boxes of a piece, in the order of their samples.
  struct Parts {
    std::array<Box, 2 * kMaxRank - 1> boxes;
    int n = 0;
  };
  [[nodiscard]] Parts parts_of(Index ordinal) const;
  [[nodiscard]] PiecePart make_part(const Parts& parts, int number) const;
  [[nodiscard]] Point point_at(Index sample) const;
  [[nodiscard]] Index sample_at(const Point& point) const;
  /// The first sample of a piece, whose number may be the end.
  [[nodiscard]] Index first_sample(Index ordinal) const;
  [[nodiscard]] Index piece_of(Index sample) const {
    return (sample * sample_bytes_ + phase_) / piece_bytes_;
  }

  std::array<Index, kMaxRank + 1> strides_{};  // of the axes, in samples; the last one: total number
  Index piece_bytes_;
  Index phase_ = 0;               // bytes of the first piece before the variable
  Index pieces_of_a_stripe_ = 0;  // 0: there are no stripes
  Index pieces_before_ = 0;       // in the file
};

}  // namespace esker
