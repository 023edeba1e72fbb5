// PlainBlocks: blocks of samples in HZ order or row-major, raw or through a codec.
#pragma once

#include "formats/idx/block_form.h"
#include "formats/idx/header.h"
#include "grid/blocks.h"

namespace esker::idx {

class PlainBlocks final : public BlockForm {
 public:
  /// Field number `field_number` of the .idx is `field`. All references must outlive this object.
  PlainBlocks(const BlockGrid& blocks, const FieldEntry& field, int field_number)
      : blocks_(blocks), field_(field), field_number_(field_number) {}

  [[nodiscard]] Index sample_bytes() const override { return field_.sample_bytes(); }
  [[nodiscard]] Index decoded_bytes() const override { return blocks_.samples_per_block() * sample_bytes(); }
  [[nodiscard]] bool is_encoded(const StoredBlock& stored) const override;
  [[nodiscard]] Status check(Index block, const StoredBlock& stored) const override;
  [[nodiscard]] Status check_bytes(Index block, const StoredBlock& stored,
                                   std::span<const std::byte> bytes) const override;
  Status decode(Index block, const StoredBlock& stored, std::span<const std::byte> bytes,
                std::span<std::byte> samples) const override;
  [[nodiscard]] bool holds_any(Index block, const ReadTarget& target) const override;
  [[nodiscard]] ByteRange wanted_range(Index block, InBlockOrder order,
                                       const ReadTarget& target) const override;
  void place(Index block, InBlockOrder order, const std::byte* samples,
             const ReadTarget& target) const override;
  void fill(Index block, std::span<const std::byte> sample, const ReadTarget& target) const override;

 private:
  const BlockGrid& blocks_;
  const FieldEntry& field_;
  int field_number_;
};

}  // namespace esker::idx
