#include "formats/idx/idx_step_layouts.h"

#include <algorithm>
#include <limits>

#include "base/macros.h"
#include "codec/compress.h"
#include "formats/idx/cell_heads.h"
#include "layout/placed_layout.h"

namespace esker::idx {

IdxStepLayouts::IdxStepLayouts(const std::vector<Part>& parts, const std::vector<bool>& present,
                               const StepHints& hints, const KeptFields& kept) {
  for (const Part& part : parts) add(part, present, hints, kept);
}

void IdxStepLayouts::add(const Part& part, const std::vector<bool>& present, const StepHints& hints,
                         const KeptFields& kept) {
  std::vector<LayoutField> fields;
  std::vector<Column> columns_here;
  for (std::size_t f = 0; f < part.columns.size(); ++f) {
    const idx::Column& column = part.columns[f];
    const FieldEntry& entry = part.header.fields[f];
    const Index bytes =
        part.cells ? cell_form(part.header, static_cast<int>(f)).coded_bytes() : entry.sample_bytes();
    fields.push_back({bytes, present[column.field], hints.dense_axis(static_cast<std::size_t>(column.field)),
                      kept.empty() ? nullptr : kept[static_cast<std::size_t>(column.field)].blocks});
    if (!present[column.field]) continue;
    columns_here.push_back({column.field, column.first_component, static_cast<int>(layouts.size()),
                            static_cast<int>(f), entry.stored_bits});
  }
  if (columns_here.empty()) return;
  columns.insert(columns.end(), columns_here.begin(), columns_here.end());
  const LayoutParameters parameters{part.header.blocks_per_file, part.alignment_bytes,
                                    file_headers_bytes(part.header), part.header.fields.front().order,
                                    !part.cells};
  idx_layouts_.push_back(std::make_shared<const IdxLayout>(part.blocks, std::move(fields), parameters));
  layouts.push_back(idx_layouts_.back());
  if (part.place) {
    layouts.back() =
        std::make_shared<const PlacedLayout>(idx_layouts_.back(), part.place->box.lo, part.place->own);
  }
  part_of_layout_.push_back(&part);
  if (part.cells) {
    const auto block = static_cast<std::size_t>(layouts.back()->largest_piece_bytes());
    scratch_.resize(std::max(scratch_.size(), block));
  }
  auto& codecs = codecs_.emplace_back();
  for (const FieldEntry& entry : part.header.fields) {
    codecs.push_back(parse_codec_spec(entry.compression).value());  // make_parts() printed it
  }
}

std::string IdxStepLayouts::file_path(int layout, Index file, Index step) const {
  const Part& part = part_of(layout);
  return part.file_path(file * part.header.blocks_per_file, step);
}

bool IdxStepLayouts::compresses(int layout) const {
  const auto& codecs = codecs_[static_cast<std::size_t>(layout)];
  return std::any_of(codecs.begin(), codecs.end(),
                     [](const CodecSpec& codec) { return codec.kind != CodecKind::kRaw; });
}

BlockShape IdxStepLayouts::shape_of(int layout, int field, Index block) const {
  const FieldEntry& entry = part_of(layout).header.fields[static_cast<std::size_t>(field)];
  const Lattice lattice = layout_of(layout).blocks().lattice(block);
  return {entry.type, entry.components, lattice.rank, lattice.count};
}

Index IdxStepLayouts::compress_scratch_bytes() const {
  Index most = 0;
  for (const Column& column : columns) {
    // Blocks of different levels may have different extents.
    const BlockGrid& blocks = layout_of(column.layout).blocks();
    for (Index block = 0; block < blocks.num_blocks(); block = 2 * block + (block == 0 ? 1 : 0)) {
      most =
          std::max(most, esker::compress_scratch_bytes(codec_of(column.layout, column.layout_field),
                                                       shape_of(column.layout, column.layout_field, block)));
    }
  }
  return most;
}

Status IdxStepLayouts::compress(int layout, const Piece& piece, std::span<const std::byte> samples,
                                std::span<std::byte> stored, std::span<std::byte> scratch,
                                PieceRecord& record) const {
  const CodecSpec& codec = codec_of(layout, piece.field);
  const BlockGrid& blocks = layout_of(layout).blocks();
  const Box inside = blocks.lattice(piece.id).indices_in(blocks.box());
  ESKER_ASSIGN_OR_RETURN(
      const Compressed compressed,
      esker::compress(codec, samples, shape_of(layout, piece.field, piece.id), inside, stored, scratch));
  const InBlockOrder order = layout_of(layout).parameters().order;
  record.size_bytes = static_cast<std::uint32_t>(compressed.size_bytes);
  record.form = block_flags(order, compressed.is_raw ? Codec::kRaw : codec_number(codec.kind));
  record.max_error = compressed.max_error;
  record.rms_error = compressed.rms_error;
  return {};
}

// What is lost by zfp in a mode with loss is measured in each step.
std::optional<std::uint32_t> IdxStepLayouts::raw_form(int layout, const Piece& piece) const {
  const CodecSpec& codec = codec_of(layout, piece.field);
  if (codec.kind == CodecKind::kRaw || !codec.lossless()) return {};
  return block_flags(layout_of(layout).parameters().order, Codec::kRaw);
}

Index IdxStepLayouts::raw_headers_bytes(int layout) const {
  const Header& header = part_of(layout).header;
  return compresses(layout) ? headers_bytes(header.blocks_per_file, std::ssize(header.fields)) : 0;
}

Status IdxStepLayouts::find_raw(int layout, const Layout::Run& pieces, std::span<const std::byte> headers,
                                const Layout::VisitPiece& visit) const {
  const Header& header = part_of(layout).header;
  if (check_table(headers) == TableCheck::kChanged) {
    return {Code::kDataLoss, "the table of blocks differs from the one that was written"};
  }
  constexpr Index kAnySize = std::numeric_limits<Index>::max();
  ESKER_ASSIGN_OR_RETURN(
      const auto entries,
      decode_headers(headers, header.blocks_per_file * std::ssize(header.fields), kAnySize));
  layout_of(layout).for_each_piece(pieces.first, pieces.last, [&](const Piece& piece) {
    const BlockEntry& entry =
        entries[static_cast<std::size_t>(entry_number(piece.field, piece.id, header.blocks_per_file))];
    const bool is_raw = !entry.absent() && entry.codec_bits() == static_cast<std::uint32_t>(Codec::kRaw);
    if (is_raw && raw_form(layout, piece)) visit(piece);
  });
  return {};
}

bool IdxStepLayouts::has_checksums() const {
  return std::any_of(part_of_layout_.begin(), part_of_layout_.end(),
                     [](const Part* part) { return part->checksums; });
}

std::uint32_t IdxStepLayouts::raw_flags_of(int layout, const Piece& piece) const {
  const FieldEntry& field = part_of(layout).header.fields[static_cast<std::size_t>(piece.field)];
  const BlockGrid& blocks = layout_of(layout).blocks();
  const bool is_of_brick = blocks.brick_digits() > 0 && piece.id < blocks.num_first_blocks();
  return block_flags(field.order, Codec::kRaw) | (is_of_brick ? kBrickFlag : 0);
}

std::uint64_t IdxStepLayouts::checksum(int layout, const Piece& piece, std::uint32_t form,
                                       std::span<const std::byte> stored) const {
  if (has_heads(layout)) return 0;  // its head has checksums
  const std::uint32_t flags = compresses(layout) ? form : raw_flags_of(layout, piece);
  return block_checksum(piece.field, piece.id, flags, stored);
}

/// `record`: null if the block is raw and has no checksum.
BlockEntry IdxStepLayouts::entry_of(int layout, const Piece& piece, const PieceRecord* record) const {
  BlockEntry entry{piece.offset_bytes, piece.size_bytes, raw_flags_of(layout, piece)};
  if (!record) return entry;
  if (compresses(layout)) {
    entry = {record->offset_bytes, Index{record->size_bytes}, record->form};
    if (!codec_of(layout, piece.field).lossless()) entry.errors = {record->max_error, record->rms_error};
  }
  if (part_of(layout).checksums || entry.errors) entry.checksum = record->checksum;
  return entry;
}

// The pieces of a file are in the order of its columns, and of the blocks in each.
std::vector<std::byte> IdxStepLayouts::file_headers(int layout_number, Index file, Index step,
                                                    std::span<const PieceRecord> records,
                                                    std::span<const PieceHead> heads) const {
  const IdxLayout& layout = layout_of(layout_number);
  const Part& part = part_of(layout_number);
  const Index per_file = part.header.blocks_per_file;
  std::vector<BlockEntry> entries(static_cast<std::size_t>(per_file) * part.columns.size());
  const PieceRecord* record = records.empty() ? nullptr : records.data();
  layout.for_each_piece_of(file, [&](const Piece& piece) {
    entries[static_cast<std::size_t>(entry_number(piece.field, piece.id, per_file))] =
        entry_of(layout_number, piece, record);
    if (record) ++record;
  });
  std::vector<std::byte> stored_heads;
  if (has_heads(layout_number)) add_heads(layout_number, file, heads, entries, stored_heads);
  const Index time = part.fixed ? 0 : step;
  std::optional<FileIdentity> identity;
  if (part.checksums) identity = file_identity(part.header, time, layout.first_block(file));
  std::vector<std::byte> headers = encode_headers(entries, identity);
  headers.insert(headers.end(), stored_heads.begin(), stored_heads.end());
  return headers;
}

bool IdxStepLayouts::has_heads(int layout) const { return part_of(layout).cells; }

void IdxStepLayouts::encode(int layout, const Piece& piece, std::span<std::byte> bytes) const {
  if (!has_heads(layout)) return;
  std::copy(bytes.begin(), bytes.end(), scratch_.begin());
  split_into_groups(cell_form(part_of(layout).header, piece.field), std::span(scratch_).first(bytes.size()),
                    bytes);
}

void IdxStepLayouts::add_sums(int layout, const Piece& piece, std::span<const std::byte> stored,
                              PieceHead& head) const {
  if (!part_of(layout).checksums) return;
  const CellForm form = cell_form(part_of(layout).header, piece.field);
  const Index num_cells = std::ssize(stored) / form.coded_bytes();
  for (int g = 0; g < form.num_groups(); ++g) {
    const GroupBytes range = group_bytes(form, num_cells, g);
    const auto group = stored.subspan(static_cast<std::size_t>(range.first),
                                      static_cast<std::size_t>(range.last - range.first));
    head.sums[static_cast<std::size_t>(g)] = group_checksum(piece.field, piece.id, g, group);
  }
}

/// `bytes`: the heads of a file. The checksums of its entries are those of the heads.
void IdxStepLayouts::add_heads(int layout, Index file, std::span<const PieceHead> heads,
                               std::vector<BlockEntry>& entries, std::vector<std::byte>& bytes) const {
  const Header& header = part_of(layout).header;
  const Index table = headers_bytes(header.blocks_per_file, static_cast<Index>(header.fields.size()));
  bytes.resize(static_cast<std::size_t>(file_headers_bytes(header) - table));
  const PieceHead* next = heads.data();
  for (int field = 0; field < static_cast<int>(header.fields.size()); ++field) {
    for (Index block = layout_of(layout).first_block(file); block < layout_of(layout).end_block(file);
         ++block) {
      BlockEntry& entry =
          entries[static_cast<std::size_t>(entry_number(field, block, header.blocks_per_file))];
      if (entry.absent()) continue;
      const HeadPlace place = head_place(header, field, block);
      const auto head = std::span(bytes).subspan(static_cast<std::size_t>(place.offset_bytes),
                                                 static_cast<std::size_t>(place.size_bytes));
      encode_head(*next++, head);
      if (entry.checksum) entry.checksum = block_checksum(field, block, entry.flags, head);
    }
  }
}

}  // namespace esker::idx
