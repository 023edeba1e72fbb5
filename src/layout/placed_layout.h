// PlacedLayout: the layout of a box of a grid, in indices of the grid.
//
//   PlacedLayout placed(layout_of_part, box.lo);   // its sample (0, 0, 0) is the grid's sample box.lo
//
// Several of them, whose boxes do not overlap, store one field of a grid: each finds its own samples in the
// boxes of the ranks. Pieces, positions, files and blocks are those of the other layout. Its pieces may
// extend past its domain, like chunks at the edge of a grid: these samples are in no part, because in the
// grid they belong to another layout.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "layout/layout.h"

namespace esker {

class PlacedLayout final : public Layout {
 public:
  /// `inner` begins at 0 on all axes; `corner` is its place in the grid. `own`: the partition that it stores,
  /// if the ranks are divided into partitions.
  PlacedLayout(std::shared_ptr<const Layout> inner, const Point& corner,
               std::optional<OwnPartition> own = std::nullopt)
      : inner_(std::move(inner)), corner_(corner), own_(std::move(own)) {}

  [[nodiscard]] Box domain() const override;
  [[nodiscard]] const OwnPartition* own_partition() const override { return own_ ? &*own_ : nullptr; }
  [[nodiscard]] Index num_pieces() const override { return inner_->num_pieces(); }
  [[nodiscard]] Piece piece(Index ordinal) const override { return inner_->piece(ordinal); }
  void for_each_piece(Index first, Index last, const VisitPiece& visit) const override {
    inner_->for_each_piece(first, last, visit);
  }
  [[nodiscard]] PiecePart part(const Piece& piece, int number) const override {
    return in_grid(inner_->part(piece, number));
  }
  [[nodiscard]] bool have_same_parts(int field, int other) const override {
    return inner_->have_same_parts(field, other);
  }
  [[nodiscard]] Piece piece_like(const Piece& piece, int field) const override {
    return inner_->piece_like(piece, field);
  }
  [[nodiscard]] Index position_bytes(Index ordinal) const override { return inner_->position_bytes(ordinal); }
  [[nodiscard]] FileSpan file_at(Index position) const override { return inner_->file_at(position); }
  [[nodiscard]] Index largest_piece_bytes() const override { return inner_->largest_piece_bytes(); }
  [[nodiscard]] bool keeps_order() const override { return inner_->keeps_order(); }
  [[nodiscard]] bool keeps_boxes_whole() const override { return inner_->keeps_boxes_whole(); }
  [[nodiscard]] bool is_sparse() const override { return inner_->is_sparse(); }
  [[nodiscard]] Index num_fields() const override { return inner_->num_fields(); }
  [[nodiscard]] Index num_files() const override { return inner_->num_files(); }
  [[nodiscard]] Index most_writers() const override { return inner_->most_writers(); }
  /// Of a layout with an own_partition() only: the other rules for partitions need blocks of a whole grid.
  [[nodiscard]] const BlockGrid* block_grid() const override { return own_ ? inner_->block_grid() : nullptr; }
  [[nodiscard]] Index blocks_per_file() const override { return inner_->blocks_per_file(); }
  [[nodiscard]] std::vector<RunOfBlocks> runs_of_blocks(Index first, Index last) const override {
    return inner_->runs_of_blocks(first, last);
  }
  /// The bricks are those of the grid. Those with their center in the domain share the pieces: a brick has
  /// pieces of one such layout. If there are none, the brick with the center of the domain has all pieces.
  [[nodiscard]] std::vector<std::vector<Run>> runs_of_shares(const BrickDecomposition& bricks) const override;
  [[nodiscard]] Index place_on_curve(const Piece& piece) const override {
    return inner_->place_on_curve(piece);
  }
  [[nodiscard]] Levels levels() const override { return inner_->levels(); }
  [[nodiscard]] Point tile_extent(int level) const override { return inner_->tile_extent(level); }
  void for_each_segment(int field, const Box& box, Levels levels, const VisitSegment& visit) const override;
  using Layout::for_each_segment;

 private:
  [[nodiscard]] PiecePart in_grid(PiecePart part) const;
  [[nodiscard]] std::vector<Index> bricks_here(const BrickDecomposition& bricks) const;

  std::shared_ptr<const Layout> inner_;
  Point corner_;
  std::optional<OwnPartition> own_;
};

}  // namespace esker
