#include "formats/idx/idx_step_layouts.h"

#include <algorithm>

#include "formats/idx/entries.h"

namespace esker::idx {

IdxStepLayouts::IdxStepLayouts(const std::vector<Part>& parts, const std::vector<bool>& present,
                               const StepHints& hints) {
  for (const Part& part : parts) add(part, present, hints);
}

void IdxStepLayouts::add(const Part& part, const std::vector<bool>& present, const StepHints& hints) {
  std::vector<LayoutField> fields;
  std::vector<Column> columns_here;
  for (std::size_t f = 0; f < part.columns.size(); ++f) {
    const idx::Column& column = part.columns[f];
    fields.push_back({part.header.fields[f].sample_bytes(), present[column.field],
                      hints.dense_axis(static_cast<std::size_t>(column.field))});
    if (!present[column.field]) continue;
    columns_here.push_back(
        {column.field, column.first_component, static_cast<int>(layouts.size()), static_cast<int>(f)});
  }
  if (columns_here.empty()) return;
  columns.insert(columns.end(), columns_here.begin(), columns_here.end());
  const LayoutParameters parameters{
      part.header.blocks_per_file, part.alignment_bytes,
      headers_bytes(part.header.blocks_per_file, static_cast<Index>(fields.size())),
      part.header.fields.front().order};
  layouts.push_back(std::make_unique<IdxLayout>(part.blocks, std::move(fields), parameters));
  part_of_layout_.push_back(&part);
}

std::string IdxStepLayouts::file_path(int layout, Index file, Index step) const {
  const Part& part = part_of(layout);
  return part.file_path(file * part.header.blocks_per_file, step);
}

bool IdxStepLayouts::has_checksums() const {
  return std::any_of(part_of_layout_.begin(), part_of_layout_.end(),
                     [](const Part* part) { return part->checksums; });
}

std::uint32_t IdxStepLayouts::flags_of(int layout, int field) const {
  return block_flags(part_of(layout).header.fields[static_cast<std::size_t>(field)].order, Codec::kRaw);
}

std::uint64_t IdxStepLayouts::checksum(int layout, const Piece& piece,
                                       std::span<const std::byte> bytes) const {
  return block_checksum(piece.field, piece.id, flags_of(layout, piece.field), bytes);
}

// The pieces of a file are in the order of its columns, and of the blocks in each.
std::vector<std::byte> IdxStepLayouts::file_headers(int layout_number, Index file, Index step,
                                                    std::span<const std::uint64_t> sums) const {
  const auto& layout = static_cast<const IdxLayout&>(*layouts[layout_number]);
  const Part& part = part_of(layout_number);
  const Index per_file = part.header.blocks_per_file;
  std::vector<BlockEntry> entries(static_cast<std::size_t>(per_file) * part.columns.size());
  std::size_t piece_in_file = 0;
  for (const Column& column : columns) {
    if (column.layout != layout_number) continue;
    for (Index block = layout.first_block(file); block < layout.end_block(file); ++block) {
      if (!layout.blocks().exists(block)) continue;
      const Piece piece = layout.piece_of(column.layout_field, block);
      BlockEntry& entry =
          entries[static_cast<std::size_t>(entry_number(column.layout_field, block, per_file))];
      entry = {piece.offset_bytes, piece.size_bytes,
               flags_of(layout_number, column.layout_field), std::nullopt};
      if (part.checksums) entry.checksum = sums[piece_in_file++];
    }
  }
  if (!part.checksums) return encode_headers(entries);
  const Index time = part.fixed ? 0 : step;
  return encode_headers(entries, file_identity(part.header, time, layout.first_block(file)));
}

}  // namespace esker::idx
