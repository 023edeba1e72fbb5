// Layout: where every sample of a grid goes in the files of a format.
//
// A layout cuts the samples of its fields into *pieces* (IDX blocks, slabs, chunks), puts the pieces of
// one step in *file order*, and gives each an ordinal 0 ... num_pieces() - 1 in that order. Everything that
// moves samples - who owns which pieces, who sends what to whom, what is written where - follows from the
// functions below; no other layer knows a format. Layouts are values: pure, the same on every rank.
#pragma once

#include <functional>
#include <vector>

#include "esker/box.hpp"
#include "esker/decomposition.hpp"
#include "esker/lattice.hpp"
#include "grid/order.h"

namespace esker {

/// Samples of a piece that stand in one separable order.
struct PiecePart {
  Lattice lattice;         ///< which samples; all exist in the piece, also those beyond the grid
  Index first_sample = 0;  ///< of the piece: where the part begins
  SampleOrder order;       ///< of the samples in the part
  int level = 0;           ///< see Layout::levels
};

/// Levels first ... last - 1.
struct Levels {
  int first = 0, last = 0;

  [[nodiscard]] bool contains(int level) const { return first <= level && level < last; }
};

struct Piece {
  Index ordinal = 0;         ///< in file order
  Index id = 0;              ///< the layout's own number for it (IDX: the block)
  Index position_bytes = 0;  ///< as Layout::position_bytes(ordinal)
  Index file = 0;            ///< number of the file in the layout
  Index offset_bytes = 0;    ///< in the file
  Index size_bytes = 0;      ///< of its samples
  int field = 0;             ///< position in the layout's list of fields
  Index sample_bytes = 0;
  int num_parts = 1;  ///< see Layout::part
};

class Layout {
 public:
  virtual ~Layout() = default;

  /// The grid.
  [[nodiscard]] virtual Box domain() const = 0;
  [[nodiscard]] virtual Index num_pieces() const = 0;
  [[nodiscard]] virtual Piece piece(Index ordinal) const = 0;
  /// Calls visit for the pieces [first, last), in order; costs less than asking for one after the other.
  using VisitPiece = std::function<void(const Piece&)>;
  virtual void for_each_piece(Index first, Index last, const VisitPiece& visit) const;
  /// Part `number` in [0, piece.num_parts) of a piece of this layout.
  [[nodiscard]] virtual PiecePart part(const Piece& piece, int number) const = 0;

  /// Position of a piece in the concatenation of the data parts of all files (headers left out, alignment
  /// included); ordinal in [0, num_pieces()]: the last one gives the total. Where pieces of one file are one
  /// stretch of it each, two are as far apart in it as their positions are.
  [[nodiscard]] virtual Index position_bytes(Index ordinal) const = 0;
  [[nodiscard]] Index stored_bytes() const { return position_bytes(num_pieces()); }

  /// File that holds position `position` in [0, stored_bytes()), and the position where its data begin and
  /// end.
  struct FileSpan {
    Index file = 0;
    Index begin = 0, end = 0;     ///< positions
    Index data_offset_bytes = 0;  ///< of `begin` in the file
  };
  [[nodiscard]] virtual FileSpan file_at(Index position) const = 0;

  /// The largest distance of two neighbouring pieces' positions: what one piece takes in a buffer.
  [[nodiscard]] virtual Index largest_piece_bytes() const = 0;

  /// Fields that have pieces.
  [[nodiscard]] virtual Index num_fields() const = 0;
  /// Files that hold at least one piece.
  [[nodiscard]] virtual Index num_files() const = 0;
  /// Writers that do not get into each other's way, if they are no more than worth it: one for each field in
  /// each file.
  [[nodiscard]] virtual Index most_writers() const { return num_files() * num_fields(); }

  /// Neighbouring pieces of a file.
  struct Run {
    Index first = 0, last = 0;  ///< ordinals, [first, last)
  };
  /// The pieces fall into shares of nearly equal bytes, one for each of `bricks`, which cover the grid: where
  /// a piece is small enough to lie in a brick, it is of the one that holds its middle. Which share a piece
  /// is of:
  [[nodiscard]] virtual int share_of(Index ordinal, const BrickDecomposition& bricks) const = 0;
  /// The pieces of all shares, in file order.
  [[nodiscard]] virtual std::vector<std::vector<Run>> runs_of_shares(
      const BrickDecomposition& bricks) const = 0;
  /// Orders pieces of all levels by where they begin in the grid, along a curve that stays near.
  [[nodiscard]] virtual Index place_on_curve(Index ordinal) const = 0;

  /// The parts of pieces fall into levels: those of one level spread over *tiles* of the same extent, which
  /// are smaller the finer the level. IDX: the levels of blocks, block 0 being the coarsest.
  [[nodiscard]] virtual Levels levels() const = 0;
  /// Extent of the tiles of a level, also beyond the grid.
  [[nodiscard]] virtual Point tile_extent(int level) const = 0;

  using VisitSegment = std::function<void(const Piece&, const PiecePart&, const Box&)>;
  /// Calls visit(piece, part, indices) for each part of a piece that holds samples of `box` of the layout's
  /// field `field` at one of `levels`; `indices` are the lattice indices of those samples in the part. In no
  /// particular order. O(parts visited).
  virtual void for_each_segment(int field, const Box& box, Levels levels,
                                const VisitSegment& visit) const = 0;
  void for_each_segment(int field, const Box& box, const VisitSegment& visit) const {
    for_each_segment(field, box, levels(), visit);
  }
};

/// Lengthens the last run by a piece that follows it, or begins another.
void append_to_runs(std::vector<Layout::Run>& runs, Index ordinal);

/// Shares of a layout of `num_pieces` that are stretches of file order, and which one a piece is of.
int share_of_stretch(Index ordinal, Index num_pieces, const BrickDecomposition& bricks);
std::vector<std::vector<Layout::Run>> stretches_of_shares(Index num_pieces, const BrickDecomposition& bricks);

/// The first piece whose position is >= `position`; num_pieces() if there is none.
Index first_piece_from(const Layout& layout, Index position);

}  // namespace esker
