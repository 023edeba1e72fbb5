// Layout: maps every sample of a grid to the files of a format.
//
// A layout divides the samples of its fields into *pieces* (IDX blocks, slabs, chunks), puts the pieces of
// one step in *file order*, and gives each an ordinal 0 ... num_pieces() - 1 in that order. Ownership of
// pieces, communication and file writes follow from the functions below; no other layer knows a format.
// Layouts are values: pure, the same on every rank.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/decomposition.hpp"
#include "esker/types/lattice.hpp"
#include "grid/blocks.h"
#include "grid/order.h"
#include "grid/tile_cut.h"

namespace esker {

/// Samples of a piece in one separable order.
struct PiecePart {
  Lattice lattice;         ///< its samples; all exist in the piece, also those outside the grid
  Index first_sample = 0;  ///< where the part begins in the piece
  SampleOrder order;       ///< of the samples in the part
  int level = 0;           ///< see Layout::levels
};

/// Levels first ... last - 1.
struct Levels {
  int first = 0, last = 0;

  [[nodiscard]] bool contains(int level) const { return first <= level && level < last; }
  [[nodiscard]] bool empty() const { return first == last; }
};

struct Piece {
  Index ordinal = 0;         ///< in file order
  Index id = 0;              ///< format-specific number (IDX: the block)
  Index position_bytes = 0;  ///< see Layout::position_bytes(ordinal)
  Index file = 0;            ///< number of the file in the layout
  Index offset_bytes = 0;    ///< in the file
  Index size_bytes = 0;      ///< of its samples
  int field = 0;             ///< position in the layout's list of fields
  Index sample_bytes = 0;
  int num_parts = 1;  ///< see Layout::part
};

/// One of the partitions of a grid that are stored separately (grid/partition_boxes.h).
struct OwnPartition {
  std::shared_ptr<const TileCut> cut;  ///< of the grid; the same object for all layouts of the grid
  int partition = 0;
};

class Layout {
 public:
  virtual ~Layout() = default;

  /// The grid; of a layout with an own_partition(), a box of it.
  [[nodiscard]] virtual Box domain() const = 0;
  /// The partition whose samples this layout stores, if partitions are stored separately. If so, all layouts
  /// of a step have one. Otherwise null.
  [[nodiscard]] virtual const OwnPartition* own_partition() const { return nullptr; }
  [[nodiscard]] virtual Index num_pieces() const = 0;
  [[nodiscard]] virtual Piece piece(Index ordinal) const = 0;
  /// Calls visit for the pieces [first, last), in order; cheaper than separate calls.
  using VisitPiece = std::function<void(const Piece&)>;
  virtual void for_each_piece(Index first, Index last, const VisitPiece& visit) const;
  /// Part `number` in [0, piece.num_parts) of a piece of this layout.
  [[nodiscard]] virtual PiecePart part(const Piece& piece, int number) const = 0;

  /// Whether the pieces of two fields have the same parts, if their ids are equal, and both fields have
  /// pieces with the same ids.
  [[nodiscard]] virtual bool have_same_parts(int /*field*/, int /*other*/) const { return false; }
  /// The piece of `field` with the id of `piece`, whose field has the same parts.
  [[nodiscard]] virtual Piece piece_like(const Piece& piece, int /*field*/) const { return piece; }

  /// Position of a piece in the concatenation of the data parts of all files (without headers, with
  /// alignment); ordinal in [0, num_pieces()], the last of which gives the total. If each piece is contiguous
  /// in its file, the distance of two pieces of a file equals that of their positions.
  [[nodiscard]] virtual Index position_bytes(Index ordinal) const = 0;
  [[nodiscard]] Index stored_bytes() const { return position_bytes(num_pieces()); }

  /// The file that holds position `position` in [0, stored_bytes()), and the positions where its data begin
  /// and end.
  struct FileSpan {
    Index file = 0;
    Index begin = 0, end = 0;     ///< positions
    Index data_offset_bytes = 0;  ///< of `begin` in the file
  };
  [[nodiscard]] virtual FileSpan file_at(Index position) const = 0;

  /// The largest distance between the positions of two adjacent pieces: the space of one piece in a buffer.
  [[nodiscard]] virtual Index largest_piece_bytes() const = 0;

  /// Whether each sample is stored where its order places it. If not, StepLayouts::encode() rearranges the
  /// bytes of a piece, and there are none without samples.
  [[nodiscard]] virtual bool keeps_order() const { return true; }

  /// Whether the boxes that ranks hold are contiguous in the file. Collecting them then saves no write where
  /// many writes cost no more than few.
  [[nodiscard]] virtual bool keeps_boxes_whole() const { return false; }

  /// Whether some of the samples are in no piece.
  [[nodiscard]] virtual bool is_sparse() const { return false; }
  /// Fields that have pieces.
  [[nodiscard]] virtual Index num_fields() const = 0;
  /// Files that hold at least one piece.
  [[nodiscard]] virtual Index num_files() const = 0;
  /// The useful number of writers that do not interfere with each other, if that is limited: one for each
  /// field in each file.
  [[nodiscard]] virtual Index most_writers() const { return num_files() * num_fields(); }

  /// Adjacent pieces of a file.
  struct Run {
    Index first = 0, last = 0;  ///< ordinals, [first, last)
  };
  /// The blocks that the pieces are, if they are blocks of an HZ order: the id of a piece is then the number
  /// of its block. Otherwise null. With an own_partition(), it begins at the corner of domain().
  [[nodiscard]] virtual const BlockGrid* block_grid() const { return nullptr; }
  /// With a block_grid(): the blocks in one file, those from a multiple of this number on.
  [[nodiscard]] virtual Index blocks_per_file() const { return 0; }
  /// With a block_grid(): the pieces of blocks [first, last). Files without other blocks are united to one
  /// run, with field -1. Of the other files, at most two, each field has a run. In file order; without empty
  /// runs.
  struct RunOfBlocks {
    Run run;
    int field = -1;
  };
  [[nodiscard]] virtual std::vector<RunOfBlocks> runs_of_blocks(Index /*first*/, Index /*last*/) const {
    return {};
  }

  /// Divides the pieces into file domains of nearly equal size, one for each of `bricks`, which cover the
  /// grid. A piece that is small enough to fit in a brick is assigned to the brick that contains its center,
  /// unless the layout is sparse. Returns the pieces of each domain, in file order.
  [[nodiscard]] virtual std::vector<std::vector<Run>> runs_of_shares(
      const BrickDecomposition& bricks) const = 0;
  /// A place in the grid near the samples of each domain.
  [[nodiscard]] virtual std::vector<Point> centers_of_shares(const BrickDecomposition& bricks) const;
  /// Orders pieces of all levels by their first sample in the grid, along a curve that preserves locality.
  [[nodiscard]] virtual Index place_on_curve(const Piece& piece) const = 0;

  /// The parts of pieces are grouped in levels. Those of one level have *tiles* of the same extent, which are
  /// smaller at finer levels. IDX: the levels of blocks; block 0 is the coarsest.
  [[nodiscard]] virtual Levels levels() const = 0;
  /// Extent of the tiles of a level, which may exceed the grid.
  [[nodiscard]] virtual Point tile_extent(int level) const = 0;

  using VisitSegment = std::function<void(const Piece&, const PiecePart&, const Box&)>;
  /// Calls visit(piece, part, indices) for each part of a piece that holds samples of `box` of the layout's
  /// field `field` at one of `levels`; `indices` are the lattice indices of those samples in the part. If
  /// `box` leaves the grid, layouts may visit the samples that a piece has there, or skip them. Unordered.
  /// O(parts visited).
  virtual void for_each_segment(int field, const Box& box, Levels levels,
                                const VisitSegment& visit) const = 0;
  void for_each_segment(int field, const Box& box, const VisitSegment& visit) const {
    for_each_segment(field, box, levels(), visit);
  }
};

/// Extends the last run by a piece that follows it, or begins another run.
void append_to_runs(std::vector<Layout::Run>& runs, Index ordinal);

/// File domains of a layout of `num_pieces` that are contiguous in file order.
std::vector<std::vector<Layout::Run>> stretches_of_shares(Index num_pieces, const BrickDecomposition& bricks);

/// The first piece whose position is >= `position`; num_pieces() if there is none.
Index first_piece_from(const Layout& layout, Index position);

}  // namespace esker
