// IdxStepLayouts: layouts, names and headers of the block files of one step, for all parts of a dataset.
#pragma once

#include <memory>
#include <vector>

#include "codec/codec.h"
#include "format/format_writer.h"
#include "formats/idx/dataset_parts.h"
#include "formats/idx/entries.h"
#include "formats/idx/idx_layout.h"

namespace esker::idx {

class IdxStepLayouts final : public StepLayouts {
 public:
  /// For the fields with present[field], and of them the blocks `kept`. `parts` must outlive this object.
  IdxStepLayouts(const std::vector<Part>& parts, const std::vector<bool>& present, const StepHints& hints,
                 const KeptFields& kept = {});

  [[nodiscard]] std::string file_path(int layout, Index file, Index step) const override;
  using StepLayouts::compresses;
  [[nodiscard]] bool compresses(int layout) const override;
  [[nodiscard]] Index compress_scratch_bytes() const override;
  Status compress(int layout, const Piece& piece, std::span<const std::byte> samples,
                  std::span<std::byte> stored, std::span<std::byte> scratch,
                  PieceRecord& record) const override;
  [[nodiscard]] std::optional<std::uint32_t> raw_form(int layout, const Piece& piece) const override;
  [[nodiscard]] Index raw_headers_bytes(int layout) const override;
  Status find_raw(int layout, const Layout::Run& pieces, std::span<const std::byte> headers,
                  const Layout::VisitPiece& visit) const override;
  [[nodiscard]] bool has_checksums() const override;
  [[nodiscard]] std::uint64_t checksum(int layout, const Piece& piece, std::uint32_t form,
                                       std::span<const std::byte> stored) const override;
  [[nodiscard]] std::vector<std::byte> file_headers(int layout, Index file, Index step,
                                                    std::span<const PieceRecord> records,
                                                    std::span<const PieceHead> heads) const override;
  /// Sorts the bits of a block of cells into groups. One call at a time.
  void encode(int layout, const Piece& piece, std::span<std::byte> bytes) const override;
  [[nodiscard]] bool has_encoding() const override { return !scratch_.empty(); }
  [[nodiscard]] Index encode_scratch_bytes() const override { return std::ssize(scratch_); }
  using StepLayouts::has_heads;
  [[nodiscard]] bool has_heads(int layout) const override;
  void add_sums(int layout, const Piece& piece, std::span<const std::byte> stored,
                PieceHead& head) const override;

 private:
  void add(const Part& part, const std::vector<bool>& present, const StepHints& hints,
           const KeptFields& kept);
  [[nodiscard]] const Part& part_of(int layout) const { return *part_of_layout_[layout]; }
  [[nodiscard]] const IdxLayout& layout_of(int number) const {
    return *idx_layouts_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] const CodecSpec& codec_of(int layout, int field) const {
    return codecs_[static_cast<std::size_t>(layout)][static_cast<std::size_t>(field)];
  }
  [[nodiscard]] BlockShape shape_of(int layout, int field, Index block) const;
  /// Flags of a raw block, and the entry of any block.
  [[nodiscard]] std::uint32_t raw_flags_of(int layout, const Piece& piece) const;
  [[nodiscard]] BlockEntry entry_of(int layout, const Piece& piece, const PieceRecord* record) const;

  void add_heads(int layout, Index file, std::span<const PieceHead> heads, std::vector<BlockEntry>& entries,
                 std::vector<std::byte>& bytes) const;

  std::vector<std::shared_ptr<const IdxLayout>> idx_layouts_;  // in coordinates of their parts
  std::vector<const Part*> part_of_layout_;
  mutable std::vector<std::byte> scratch_;      // of encode()
  std::vector<std::vector<CodecSpec>> codecs_;  // [layout][field of the part]
};

}  // namespace esker::idx
