// IdxLayout: one step of an IDX dataset with raw blocks at arithmetic offsets.
//
// clang-format off
// file f   = headers, then for each field that is present: its existing blocks in [f * bpf, (f + 1) * bpf)
// offsets  = data start at a multiple of `alignment`; blocks begin at multiples of it, too. If a field has
//            smaller blocks, all begin at multiples of the largest power of two in the smallest block
// clang-format on
//
// Source: docs/formats/idx.md, sections 3 and 4.
#pragma once

#include <vector>

#include "formats/idx/idx_block.h"
#include "grid/blocks.h"
#include "layout/layout.h"

namespace esker::idx {

struct LayoutField {
  Index sample_bytes = 0;
  bool present = true;  ///< written at this step; absent fields have no pieces
  int dense_axis = 0;   ///< the patches' fastest axis in memory
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

  [[nodiscard]] Index num_pieces() const override { return num_existing_ * num_present_; }
  [[nodiscard]] Piece piece(Index ordinal) const override;
  void for_each_piece(Index first, Index last, const VisitPiece& visit) const override;
  [[nodiscard]] PiecePart part(const Piece& piece, int number) const override;
  [[nodiscard]] Index position_bytes(Index ordinal) const override;
  [[nodiscard]] FileSpan file_at(Index position) const override;
  [[nodiscard]] Levels levels() const override;
  [[nodiscard]] Point tile_extent(int level) const override;
  using Layout::for_each_segment;
  void for_each_segment(int field, const Box& box, Levels levels, const VisitSegment& visit) const override;

  [[nodiscard]] int share_of(Index ordinal, const BrickDecomposition& bricks) const override;
  [[nodiscard]] std::vector<std::vector<Run>> runs_of_shares(const BrickDecomposition& bricks) const override;
  [[nodiscard]] Index place_on_curve(Index ordinal) const override;

  [[nodiscard]] const BlockGrid& blocks() const { return blocks_; }
  [[nodiscard]] Box domain() const override { return blocks_.box(); }
  [[nodiscard]] const LayoutParameters& parameters() const { return parameters_; }
  /// Block `block` (existing) of field `field` (present).
  [[nodiscard]] Piece piece_of(int field, Index block) const;
  /// The first block of a file and the one after its last, in the numbering of all blocks.
  [[nodiscard]] Index first_block(Index file) const { return file * parameters_.blocks_per_file; }
  [[nodiscard]] Index end_block(Index file) const;
  [[nodiscard]] Index largest_piece_bytes() const override;
  [[nodiscard]] bool keeps_order() const override { return parameters_.keeps_order; }
  [[nodiscard]] Index num_fields() const override { return num_present_; }
  [[nodiscard]] Index num_files() const override;

 private:
  /// A file, described by the number of existing blocks before it and in it.
  struct FileRange {
    Index file = 0, existing_before = 0, num_existing = 0;
  };
  [[nodiscard]] FileRange range_of(Index file) const;
  /// The position of an ordinal: a file, a present field, and the index of an existing block in the file.
  struct Place {
    FileRange range;
    int present_field = 0;
    Index number_in_file = 0;
  };
  [[nodiscard]] Place place_of(Index ordinal) const;
  [[nodiscard]] Index position_of(const Place& place) const;
  [[nodiscard]] Piece make_piece(const Place& place, Index block) const;
  [[nodiscard]] Index num_coarse(Index n_shares) const;
  [[nodiscard]] Index share_of_coarse(Index number, Index present_field, Index coarse, Index n_shares) const;
  [[nodiscard]] Index brick_of(Index block, const BrickDecomposition& bricks) const;
  [[nodiscard]] Index data_start() const;
  [[nodiscard]] Index block_alignment() const;

  BlockGrid blocks_;
  std::vector<LayoutField> fields_;
  LayoutParameters parameters_;
  std::vector<int> present_;            // positions of the present fields
  std::vector<int> number_of_present_;  // field -> position in present_, -1 if absent
  std::vector<Index> stored_bytes_;     // per present field, of one block
  std::vector<Index> stored_before_;    // prefix sums of stored_bytes_
  Index num_existing_ = 0;
  Index num_present_ = 0;
  std::vector<PiecePart> coarse_;            // the parts of block 0
  std::vector<SampleOrder> order_of_level_;  // for the other blocks: [level - bits_per_block - 1]
};

}  // namespace esker::idx
