#include "formats/idx/cell_heads.h"

#include <bit>

#include "base/byte_order.h"
#include "store/checksum.h"

namespace esker::idx {
namespace {

static_assert(kMaxGroups == std::size_t{kMaxBitGroups});
constexpr Index kGroupBytes = 12;

Index head_bytes(const FieldEntry& field) { return CellForm::groups_for(field.stored_bits) * kGroupBytes; }

}  // namespace

CellForm cell_form(const Header& header, int field) {
  const FieldEntry& entry = header.fields[static_cast<std::size_t>(field)];
  return {entry.type, header.bitmask.rank(), entry.stored_bits};
}

Index file_headers_bytes(const Header& header) {
  const Index entries = headers_bytes(header.blocks_per_file, static_cast<Index>(header.fields.size()));
  if (!has_heads(header)) return entries;
  Index heads = 0;
  for (const FieldEntry& field : header.fields) heads += head_bytes(field);
  return entries + heads * header.blocks_per_file;
}

HeadPlace head_place(const Header& header, int field, Index block) {
  Index offset = 0;
  for (int f = 0; f < field; ++f) {
    offset += head_bytes(header.fields[static_cast<std::size_t>(f)]) * header.blocks_per_file;
  }
  const Index size = head_bytes(header.fields[static_cast<std::size_t>(field)]);
  return {offset + block % header.blocks_per_file * size, size};
}

void encode_head(const PieceHead& head, std::span<std::byte> out) {
  for (std::size_t g = 0; g < out.size() / kGroupBytes; ++g) {
    std::byte* group = out.data() + g * kGroupBytes;
    store_be32(std::bit_cast<std::uint32_t>(head.errors[g]), group);
    store_be32(static_cast<std::uint32_t>(head.sums[g]), group + 4);
    store_be32(static_cast<std::uint32_t>(head.sums[g] >> 32), group + 8);
  }
}

PieceHead decode_head(std::span<const std::byte> bytes) {
  PieceHead head;
  for (std::size_t g = 0; g < bytes.size() / kGroupBytes; ++g) {
    const std::byte* group = bytes.data() + g * kGroupBytes;
    head.errors[g] = std::bit_cast<float>(load_be32(group));
    head.sums[g] = std::uint64_t{load_be32(group + 8)} << 32 | load_be32(group + 4);
  }
  return head;
}

BlockErrors errors_of_head(std::span<const std::byte> bytes) {
  const std::size_t last_group = bytes.size() / kGroupBytes - 1;
  const float largest = decode_head(bytes).errors[last_group];
  return {largest, largest};
}

// The flags of a block take the lowest eight bits; the number of the group follows.
std::uint64_t group_checksum(int field, Index block, int group, std::span<const std::byte> stored) {
  return block_checksum(field, block, static_cast<std::uint32_t>(group + 1) << 8, stored);
}

}  // namespace esker::idx
