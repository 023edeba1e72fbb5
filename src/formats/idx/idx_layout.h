// IdxLayout: one step of an IDX dataset with raw blocks at arithmetic offsets.
//
// clang-format off
// file f   = headers, then for each field that is present: its existing blocks in [f * bpf, (f + 1) * bpf)
// offsets  = data start at a multiple of `alignment`; blocks begin at multiples of it, too. If a field has
//            smaller blocks, all begin at multiples of the largest power of two in the smallest block
// clang-format on
//
// A sparse step has some of these blocks, and each field its own (grid/block_set.h). Everything follows from
// rank and select in the sets. Only where fields differ is there a table of the files that have blocks.
//
// Source: docs/formats/idx.md, sections 3 and 4.
#pragma once

#include <memory>
#include <vector>

#include "formats/idx/idx_block.h"
#include "grid/block_set.h"
#include "layout/layout.h"

namespace esker::idx {

struct LayoutField {
  Index sample_bytes = 0;
  bool present = true;                          ///< written at this step; absent fields have no pieces
  int dense_axis = 0;                           ///< the patches' fastest axis in memory
  std::shared_ptr<const BlockSet> blocks = {};  ///< that the step holds; null: all
};

struct LayoutParameters {
  Index blocks_per_file = 1;
  Index alignment_bytes = 4096;
  Index headers_bytes = 0;  ///< per file
  InBlockOrder order = InBlockOrder::kRowMajor;
  bool keeps_order = true;  ///< see Layout
};

class IdxLayout final : public Layout {
 public:
  IdxLayout(const BlockGrid& blocks, std::vector<LayoutField> fields, const LayoutParameters& parameters);

  [[nodiscard]] Index num_pieces() const override { return total_.pieces; }
  [[nodiscard]] Piece piece(Index ordinal) const override;
  void for_each_piece(Index first, Index last, const VisitPiece& visit) const override;
  [[nodiscard]] PiecePart part(const Piece& piece, int number) const override;
  [[nodiscard]] bool have_same_parts(int field, int other) const override {
    return place_of_field(field).group == place_of_field(other).group;
  }
  [[nodiscard]] Piece piece_like(const Piece& piece, int field) const override {
    return piece_of(field, piece.id);
  }
  [[nodiscard]] Index position_bytes(Index ordinal) const override;
  [[nodiscard]] FileSpan file_at(Index position) const override;
  [[nodiscard]] Levels levels() const override;
  [[nodiscard]] Point tile_extent(int level) const override;
  using Layout::for_each_segment;
  void for_each_segment(int field, const Box& box, Levels levels, const VisitSegment& visit) const override;

  [[nodiscard]] std::vector<std::vector<Run>> runs_of_shares(const BrickDecomposition& bricks) const override;
  [[nodiscard]] std::vector<Point> centers_of_shares(const BrickDecomposition& bricks) const override;
  [[nodiscard]] Index place_on_curve(const Piece& piece) const override;

  [[nodiscard]] const BlockGrid* block_grid() const override { return &blocks_; }
  [[nodiscard]] Index blocks_per_file() const override { return parameters_.blocks_per_file; }
  [[nodiscard]] std::vector<RunOfBlocks> runs_of_blocks(Index first, Index last) const override;

  [[nodiscard]] const BlockGrid& blocks() const { return blocks_; }
  [[nodiscard]] Box domain() const override { return blocks_.box(); }
  [[nodiscard]] const LayoutParameters& parameters() const { return parameters_; }
  /// The blocks of a present field.
  [[nodiscard]] const BlockSet& blocks_of(int field) const {
    return *groups_[place_of_field(field).group].blocks;
  }
  [[nodiscard]] bool is_sparse() const override { return is_sparse_; }
  /// A block of field `field` (present), of blocks_of(field).
  [[nodiscard]] Piece piece_of(int field, Index block) const;
  /// The first block of a file and the one after its last, in the numbering of all blocks.
  [[nodiscard]] Index first_block(Index file) const { return file * parameters_.blocks_per_file; }
  [[nodiscard]] Index end_block(Index file) const;
  /// Calls visit for the pieces of a file, in order.
  void for_each_piece_of(Index file, const VisitPiece& visit) const;
  [[nodiscard]] Index largest_piece_bytes() const override;
  [[nodiscard]] bool keeps_order() const override { return parameters_.keeps_order; }
  [[nodiscard]] Index num_fields() const override;
  [[nodiscard]] Index num_files() const override;

 private:
  /// The present fields that have the same set of blocks.
  struct Group {
    std::shared_ptr<const BlockSet> blocks;
    Index num_fields = 0;
    Index bytes = 0;  // stored, of one block of each of its fields
  };
  /// Pieces, and bytes of data.
  struct Amount {
    Index pieces = 0, bytes = 0;
  };
  /// A present field.
  struct FieldPlace {
    int field = 0;
    std::size_t group = 0;
    Index bytes = 0;             // stored, of one block
    std::vector<Amount> before;  // [group] one block of each of its fields that precede this one
  };
  /// A file with blocks: the pieces before it and in it.
  struct FileRange {
    Index file = 0;
    Amount before, in_file;
  };
  /// A block of a present field in a file.
  struct Place {
    FileRange range;
    std::size_t present_field = 0;
    Amount before = {};      // of the fields that precede it in the file
    Index first_number = 0;  // in its set, of the field's first block in the file
    Index number = 0;        // of the block
  };

  void add_field(int field);
  void list_files();
  [[nodiscard]] const FieldPlace& place_of_field(int field) const {
    return present_[static_cast<std::size_t>(number_of_present_[static_cast<std::size_t>(field)])];
  }
  [[nodiscard]] Amount before(Index block) const;
  [[nodiscard]] FileRange range_of(Index file) const;
  /// Without the list of files.
  [[nodiscard]] FileRange find_range(Index file) const;
  template <class Key>
  [[nodiscard]] Index file_with(Index amount, Key key) const;
  [[nodiscard]] Place place_of(const FileRange& range, std::size_t present_field) const;
  [[nodiscard]] Place place_of(Index ordinal) const;
  [[nodiscard]] Index end_number(const Place& place) const;
  void add_fields_of_file(Index file, Index first, Index last, std::vector<RunOfBlocks>& runs) const;
  [[nodiscard]] Piece make_piece(const Place& place, Index block) const;
  [[nodiscard]] Index num_coarse(Index n_shares) const;
  [[nodiscard]] Index share_of_coarse(Index number, Index present_field, Index coarse, Index n_shares) const;
  [[nodiscard]] Point center_of(Index block) const;
  [[nodiscard]] Index along_curve(Index block) const;
  /// A block of a group, and the bytes of the pieces of other blocks that precede it along the curve.
  struct OnCurve {
    Index block = 0, bytes_before = 0;
  };
  [[nodiscard]] std::vector<std::vector<OnCurve>> blocks_on_curve() const;
  [[nodiscard]] Index share_on_curve(const Place& place, const OnCurve& at, Index n_shares) const;
  template <class Visit>
  void for_each_share(const BrickDecomposition& bricks, const Visit& visit) const;
  [[nodiscard]] Index data_start() const;
  [[nodiscard]] Index block_alignment() const;

  BlockGrid blocks_;
  std::vector<LayoutField> fields_;
  LayoutParameters parameters_;
  std::vector<FieldPlace> present_;
  std::vector<int> number_of_present_;  // field -> position in present_, -1 if absent
  std::vector<Group> groups_;
  Amount total_;
  bool is_sparse_ = false;
  std::vector<FileRange> files_;             // with several groups, or sparse: those with blocks, ascending
  std::vector<PiecePart> coarse_;            // the parts of block 0; of another first block, at its origin
  std::vector<SampleOrder> order_of_level_;  // for the other blocks: [level - coarsest_level - 1]
};

}  // namespace esker::idx
