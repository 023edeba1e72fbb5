// PackedBoxesLayout: boxes stored one after the other in a file, each complete and row by row, x fastest, as
// the patches of a level of a mesh.
//
// The grid has one more axis than the boxes: the number of the box, which is the slowest. Sample (x, y, n) is
// sample (x, y) of box n, counted from its lower corner. Boxes may thus overlap where they lie in space. The
// grid is as large as the largest box, so that smaller ones do not fill it.
//
// A piece has several complete boxes, or a part of a large one.
#pragma once

#include <memory>
#include <vector>

#include "layout/one_variable.h"
#include "layout/row_tiles.h"

namespace esker {

/// The extents of boxes, in the order in which they are stored.
class PackedBoxes {
 public:
  /// Boxes with 1 to kMaxRank - 1 axes, at least one box, none empty.
  PackedBoxes(int rank, std::vector<Point> extents);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] Index size() const { return static_cast<Index>(extents_.size()); }
  [[nodiscard]] const Point& extent(Index box) const { return extents_[static_cast<std::size_t>(box)]; }
  /// Samples of the boxes before this one, which may be the end.
  [[nodiscard]] Index samples_before(Index box) const {
    return samples_before_[static_cast<std::size_t>(box)];
  }
  [[nodiscard]] Index num_samples() const { return samples_before_.back(); }
  /// Memory of the lists.
  [[nodiscard]] Index size_bytes() const {
    return static_cast<Index>(extents_.capacity() * sizeof(Point) +
                              samples_before_.capacity() * sizeof(Index));
  }
  /// The extents of the largest box on each axis, followed by the number of boxes.
  [[nodiscard]] const Point& domain() const { return domain_; }

 private:
  int rank_;
  std::vector<Point> extents_;
  std::vector<Index> samples_before_{0};
  Point domain_{1, 1, 1, 1, 1};
};

class PackedBoxesLayout final : public OneVariableLayout {
 public:
  /// `sample_bytes` for each sample, from byte `offset_bytes` of the file on, in pieces of at most
  /// `piece_bytes`, but at least one sample.
  PackedBoxesLayout(std::shared_ptr<const PackedBoxes> boxes, Index sample_bytes, Index offset_bytes,
                    Index piece_bytes);

  [[nodiscard]] Index num_pieces() const override { return static_cast<Index>(pieces_.size()) - 1; }
  [[nodiscard]] Piece piece(Index ordinal) const override;
  [[nodiscard]] PiecePart part(const Piece& piece, int number) const override;
  [[nodiscard]] Index position_bytes(Index ordinal) const override;
  [[nodiscard]] FileSpan file_at(Index /*position*/) const override {
    return {0, 0, boxes_->num_samples() * sample_bytes_, offset_bytes_};
  }
  [[nodiscard]] Index largest_piece_bytes() const override { return largest_piece_bytes_; }
  [[nodiscard]] bool keeps_boxes_whole() const override { return true; }
  [[nodiscard]] bool is_sparse() const override { return boxes_->num_samples() < domain_.num_samples(); }
  [[nodiscard]] Point tile_extent(int /*level*/) const override;
  void for_each_segment(int field, const Box& box, Levels levels, const VisitSegment& visit) const override;
  using Layout::for_each_segment;

 private:
  /// Where a piece begins.
  struct Start {
    Index box = 0;
    Index tile = 0;  ///< of this box, if it is divided; else the piece has complete boxes
  };
  [[nodiscard]] RowTiles tiles_of(Index box) const;
  [[nodiscard]] bool is_divided(Index box) const;
  [[nodiscard]] const Start& start(Index ordinal) const { return pieces_[static_cast<std::size_t>(ordinal)]; }
  [[nodiscard]] Index first_piece_of(Index box) const;
  /// A box of local indices in box `number`, as a box of the grid.
  [[nodiscard]] Box in_grid(Box local, Index number) const;
  void visit_divided(Index box, const Box& inside, const VisitSegment& visit) const;

  std::shared_ptr<const PackedBoxes> boxes_;
  Index most_samples_;         // of a piece
  std::vector<Start> pieces_;  // then the end
  Index largest_piece_bytes_ = 0;
};

}  // namespace esker
