// Blocks that hold cells of 4 samples along each axis: the chunks of PIDX, and cells with groups of bits.
//
// Blocks order cells the way other blocks order samples, so the block grid and its levels are those of the
// cells. The coarsest levels take the first sample of each cell; the finest levels, six on 3 axes and four on
// 2, are inside the cells. A decoded block has the cells in the order of the block, x fastest in each.
// Source: docs/formats/idx.md, sections 10 and 13.
#pragma once

#include "codec/cells.h"
#include "formats/idx/block_form.h"
#include "formats/idx/header.h"
#include "grid/blocks.h"

namespace esker::idx {

/// What both kinds share: where samples are in a decoded block.
class CellBlockForm : public BlockForm {
 public:
  [[nodiscard]] Index sample_bytes() const override { return field_.sample_bytes(); }
  [[nodiscard]] Index decoded_bytes() const override { return num_cells() * cell_bytes(); }
  [[nodiscard]] bool holds_any(Index block, const ReadTarget& target) const override;
  /// The complete block.
  [[nodiscard]] ByteRange wanted_range(Index block, InBlockOrder order,
                                       const ReadTarget& target) const override;
  void place(Index block, InBlockOrder order, const std::byte* samples,
             const ReadTarget& target) const override;
  void fill(Index block, std::span<const std::byte> sample, const ReadTarget& target) const override;

 protected:
  /// `blocks` are blocks of cells on `rank` axes, on which targets are, too. All references must outlive this
  /// object.
  CellBlockForm(const BlockGrid& blocks, const FieldEntry& field, int rank)
      : blocks_(blocks), field_(field), rank_(rank) {}

  [[nodiscard]] Index num_cells() const { return blocks_.samples_per_block(); }
  [[nodiscard]] const FieldEntry& field() const { return field_; }

 private:
  [[nodiscard]] Index cell_bytes() const;
  /// Calls visit(cell, number) for the cells that may have requested samples; `number` is the index in the
  /// block.
  template <class Visit>
  void for_each_wanted_cell(Index block, InBlockOrder order, const ReadTarget& target,
                            const Visit& visit) const;
  void place_cell(const Point& cell, const std::byte* samples, Index sample_bytes,
                  const ReadTarget& target) const;

  const BlockGrid& blocks_;
  const FieldEntry& field_;
  int rank_;
};

/// Whether a field of PIDX can be read from chunks: one component, and a bit rate that zfp supports for its
/// type.
Status check_chunked_field(const CellBlocks& chunks, const FieldEntry& field);

/// PIDX' chunks of 4x4x4 samples, raw or as fixed-rate zfp, in HZ order, without checksums.
class PidxChunkBlocks final : public CellBlockForm {
 public:
  /// For `zfp_bits` see CellBlocks.
  PidxChunkBlocks(const BlockGrid& blocks, int zfp_bits, const FieldEntry& field);

  [[nodiscard]] bool is_encoded(const StoredBlock& /*stored*/) const override { return zfp_bits_ != 0; }
  [[nodiscard]] Status check(Index block, const StoredBlock& stored) const override;
  [[nodiscard]] Status check_bytes(Index /*block*/, const StoredBlock& /*stored*/,
                                   std::span<const std::byte> /*bytes*/) const override {
    return {};
  }
  Status decode(Index block, const StoredBlock& stored, std::span<const std::byte> bytes,
                std::span<std::byte> samples) const override;

 private:
  int zfp_bits_;
};

/// Cells of version 7, of which the leading bits are read: a prefix of the block.
class GroupedCellBlocks final : public CellBlockForm {
 public:
  /// `form` is that of field number `number`; `bits`, from 1 to form.bits, are read per sample.
  GroupedCellBlocks(const BlockGrid& blocks, const CellForm& form, int bits, const FieldEntry& field,
                    int number)
      : CellBlockForm(blocks, field, form.rank), form_(form), bits_(bits), number_(number) {}

  [[nodiscard]] bool is_encoded(const StoredBlock& /*stored*/) const override { return true; }
  [[nodiscard]] Status check(Index block, const StoredBlock& stored) const override;
  [[nodiscard]] ByteRange encoded_range(const StoredBlock& stored) const override;
  /// Checks the groups that are read.
  [[nodiscard]] Status check_bytes(Index block, const StoredBlock& stored,
                                   std::span<const std::byte> bytes) const override;
  Status decode(Index block, const StoredBlock& stored, std::span<const std::byte> bytes,
                std::span<std::byte> samples) const override;

 private:
  CellForm form_;
  int bits_;
  int number_;
};

}  // namespace esker::idx
