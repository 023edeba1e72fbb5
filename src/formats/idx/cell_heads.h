// Heads of blocks of cells: errors and checksums of their groups of bits, in the headers of the block file.
//
// clang-format off
// file  = headers entries heads data
// heads = for each field: blocks_per_file * head       ; in the order of the entries
// head  = groups of the field * group                  ; 1, 2, 4 ... stored_bits bits per sample
// group = error sum-low sum-high                       ; 3 uint32, big-endian; error: a float32
// clang-format on
// The head of an absent block is zero. If the file has checksums, that of an entry covers the head, and those
// in the head the groups; so a prefix of a block can be checked. Source: docs/formats/idx.md, section 13.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "codec/cells.h"
#include "formats/idx/entries.h"
#include "formats/idx/header.h"
#include "layout/piece_head.h"

namespace esker::idx {

/// The form of a field's cells; header.cells is set and not PIDX'.
CellForm cell_form(const Header& header, int field);
/// Whether the files of this .idx have heads.
inline bool has_heads(const Header& header) { return header.cells && !header.cells->is_pidx; }

/// Bytes before the data of each block file: headers_bytes(), and the heads if there are any.
Index file_headers_bytes(const Header& header);
/// Where the head of a field's block is behind the entries of its file, and its size.
struct HeadPlace {
  Index offset_bytes = 0, size_bytes = 0;
};
HeadPlace head_place(const Header& header, int field, Index block);

/// `out` has head_place().size_bytes.
void encode_head(const PieceHead& head, std::span<std::byte> out);
PieceHead decode_head(std::span<const std::byte> bytes);
/// The errors with all bits. Heads have no root mean square: the largest error bounds it.
BlockErrors errors_of_head(std::span<const std::byte> bytes);

/// Checksum of a group of a block as stored.
std::uint64_t group_checksum(int field, Index block, int group, std::span<const std::byte> stored);

}  // namespace esker::idx
