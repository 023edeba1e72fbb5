// The binary header of a block file: offset and size of each block of each field.
//
// clang-format off
// file    = header entries data
// header  = 10 * uint32                          ; words 0: tag; 2, 3: checksum of the entries;
//                                                ; 4, 5: identity; others 0
// entries = nfields * blocks_per_file * entry    ; entry k * blocks_per_file + (block mod blocks_per_file)
// entry   = 10 * uint32                          ; words 2, 3: offset low, high; 4: size; 5: flags;
//                                                ; 6: tag, 7, 8: checksum of the block low, high;
//                                                ; 9, 0: largest and RMS error (float32), with tag version 2;
//                                                ; others 0
// clang-format on
// All numbers are big-endian; the data are little-endian. Tags and checksums are Esker extensions. Other
// programs ignore them, and clear those of an entry when they replace its block; without the tag there is no
// checksum. Source: docs/formats/idx.md, section 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codec/codec_spec.h"
#include "esker/types/box.hpp"
#include "esker/types/status.hpp"
#include "formats/idx/header.h"

namespace esker::idx {

inline constexpr Index kFileHeaderBytes = 40;
inline constexpr Index kEntryBytes = 40;

enum class Codec : std::uint8_t { kRaw = 0, kZip = 3, kJpg = 4, kPng = 6, kLz4 = 7, kZfp = 8 };

/// In the flags of the first blocks of bricks. Other programs ignore the bit.
inline constexpr std::uint32_t kBrickFlag = 0x20;

/// What the checksums of a file cover. A file keeps the version that it was written with.
enum class SumVersion : std::uint8_t {
  kBytes = 1,         ///< stored bytes and entries, separately
  kWithErrors = 2,    ///< of a block: as kBytesAndForm; its entry holds errors
  kBytesAndForm = 3,  ///< also flags of blocks, and an identity with box and blocks
};

/// The loss of a block by compression, over its samples inside the grid, rounded up.
struct BlockErrors {
  float largest = 0;  ///< absolute
  float rms = 0;
  friend bool operator==(const BlockErrors&, const BlockErrors&) = default;
};

struct BlockEntry {
  Index offset_bytes = 0;  ///< absolute, in this file
  Index size_bytes = 0;    ///< as stored
  std::uint32_t flags = 0;
  std::optional<std::uint64_t> checksum = {};  ///< block_checksum() of the stored bytes, if there is one
  SumVersion sum_version = SumVersion::kBytesAndForm;  ///< of `checksum`
  std::optional<BlockErrors> errors = {};              ///< if a lossy codec stored it; only with a checksum

  [[nodiscard]] bool absent() const { return offset_bytes == 0 || size_bytes == 0; }
  [[nodiscard]] InBlockOrder order() const {
    return (flags & 0x10) ? InBlockOrder::kRowMajor : InBlockOrder::kHz;
  }
  [[nodiscard]] std::uint32_t codec_bits() const { return flags & 0xf; }
  /// Whether it is the first block of a brick, see grid/hybrid_blocks.h.
  [[nodiscard]] bool is_of_brick() const { return (flags & kBrickFlag) != 0; }
  friend bool operator==(const BlockEntry&, const BlockEntry&) = default;
};

/// The number of a codec in the flags.
Codec codec_number(CodecKind kind);

/// Flags word of a block.
std::uint32_t block_flags(InBlockOrder order, Codec codec);

/// Checksum of a block as stored. It covers field, block and flags, so that a misplaced block, or one that
/// would be decoded differently, is detected.
std::uint64_t block_checksum(int field, Index block, std::uint32_t flags, std::span<const std::byte> stored,
                             SumVersion version = SumVersion::kBytesAndForm);

/// Bytes of both header parts: kFileHeaderBytes + kEntryBytes * blocks_per_file * num_fields.
Index headers_bytes(Index blocks_per_file, Index num_fields);

/// Index of an entry in the table.
inline Index entry_number(int field, Index block, Index blocks_per_file) {
  return field * blocks_per_file + block % blocks_per_file;
}

/// Which fields, step and blocks a block file holds, so that a misplaced file is detected.
struct FileIdentity {
  std::uint64_t value = 0;
  SumVersion version = SumVersion::kBytesAndForm;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
FileIdentity file_identity(const Header& header, Index step, Index first_block,
                           SumVersion version = SumVersion::kBytesAndForm);

/// Both header parts as bytes. entries.size() == blocks_per_file * num_fields; absent entries are zero. If an
/// identity is given, the header contains it and the checksum of the entries.
std::vector<std::byte> encode_headers(std::span<const BlockEntry> entries,
                                      std::optional<FileIdentity> identity = std::nullopt);
/// The identity in a header; nothing if there is none. `bytes` are both header parts.
std::optional<FileIdentity> identity_of(std::span<const std::byte> bytes);

enum class TableCheck : std::uint8_t { kUnchecked, kGood, kChanged };
/// Whether the entries match the checksum in the header; kUnchecked if there is none. `bytes` are both header
/// parts.
TableCheck check_table(std::span<const std::byte> bytes);

/// The entries of a file whose first bytes are `bytes` (headers_bytes(...) of them). Each entry is checked
/// against the file: if [offset, offset + size) exceeds `file_bytes` or overlaps the headers, or the size is
/// 2 GiB or more, or an error is not a number >= 0, the result is kDataLoss naming the entry. `data_start`:
/// the least offset of a block, if other headers follow these.
Result<std::vector<BlockEntry>> decode_headers(std::span<const std::byte> bytes, Index num_entries,
                                               Index file_bytes, Index data_start = 0);

/// Two blocks of one file that overlap, as positions in `entries`, the one with the smaller offset first;
/// nothing if there are none. Readers accept such files; verify and repair do not. O(n log n).
std::optional<std::pair<Index, Index>> find_overlap(std::span<const BlockEntry> entries);

}  // namespace esker::idx
