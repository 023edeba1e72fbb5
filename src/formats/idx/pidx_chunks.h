// PidxChunkBlocks: blocks that hold chunks of 4x4x4 samples, raw or as fixed-rate zfp.
//
// Blocks order chunks the way other blocks order samples, so the block grid and its levels are those of the
// chunks. The coarsest levels take the first sample of each chunk; the six finest levels are inside the
// chunks. Source: docs/formats/idx.md, section 10.
#pragma once

#include "formats/idx/block_form.h"
#include "formats/idx/header.h"
#include "grid/blocks.h"

namespace esker::idx {

/// The chunks that hold samples of `box`, on the axes of the chunks' mask.
Box chunks_of(const Box& box, int rank);

/// Whether the field can be read from chunks: one component, and a bit rate that zfp supports for its type.
Status check_chunked_field(const PidxChunks& chunks, const FieldEntry& field);

class PidxChunkBlocks final : public BlockForm {
 public:
  /// `blocks` are blocks of chunks, for `zfp_bits` see PidxChunks. Targets have 3 axes. All references must
  /// outlive this object.
  PidxChunkBlocks(const BlockGrid& blocks, int zfp_bits, const FieldEntry& field)
      : blocks_(blocks), zfp_bits_(zfp_bits), field_(field) {}

  [[nodiscard]] Index sample_bytes() const override { return field_.sample_bytes(); }
  [[nodiscard]] Index decoded_bytes() const override;
  [[nodiscard]] bool is_encoded(const StoredBlock& /*stored*/) const override { return zfp_bits_ != 0; }
  [[nodiscard]] Status check(Index block, const StoredBlock& stored) const override;
  /// PIDX has no checksums.
  [[nodiscard]] Status check_bytes(Index /*block*/, const StoredBlock& /*stored*/,
                                   std::span<const std::byte> /*bytes*/) const override {
    return {};
  }
  Status decode(Index block, const StoredBlock& stored, std::span<const std::byte> bytes,
                std::span<std::byte> samples) const override;
  /// The complete block.
  [[nodiscard]] bool holds_any(Index block, const ReadTarget& target) const override;
  [[nodiscard]] ByteRange wanted_range(Index block, InBlockOrder order,
                                       const ReadTarget& target) const override;
  void place(Index block, InBlockOrder order, const std::byte* samples,
             const ReadTarget& target) const override;
  void fill(Index block, std::span<const std::byte> sample, const ReadTarget& target) const override;

 private:
  /// Calls visit(chunk, number) for the chunks that may have requested samples; `number` is the index in the
  /// block.
  template <class Visit>
  void for_each_wanted_chunk(Index block, const ReadTarget& target, const Visit& visit) const;

  const BlockGrid& blocks_;
  int zfp_bits_;
  const FieldEntry& field_;
};

}  // namespace esker::idx
