#include "formats/idx/entries.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/byte_order.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "store/checksum.h"

namespace esker::idx {
namespace {

constexpr std::uint32_t kRowMajorFlag = 0x10;

// Words of an entry; the others are written 0.
constexpr int kRmsError = 0, kLargestError = 9;
constexpr int kOffsetLow = 2, kOffsetHigh = 3, kSize = 4, kFlags = 5, kEntryTag = 6, kSumLow = 7,
              kSumHigh = 8;
// Words of the file header.
constexpr int kTableTag = 0, kTableSumLow = 2, kTableSumHigh = 3, kIdentityLow = 4, kIdentityHigh = 5;

constexpr std::uint32_t kTag = 0x45534b00;  ///< "ESK"; the last byte is the version of the checksums

std::byte* word(std::byte* entry, int number) { return entry + 4 * number; }
const std::byte* word(const std::byte* entry, int number) { return entry + 4 * number; }

void store_64(std::uint64_t value, std::byte* low, std::byte* high) {
  store_be32(static_cast<std::uint32_t>(value), low);
  store_be32(static_cast<std::uint32_t>(value >> 32), high);
}

std::uint64_t load_64(const std::byte* low, const std::byte* high) {
  return std::uint64_t{load_be32(high)} << 32 | load_be32(low);
}

std::uint32_t tag_of(SumVersion version) { return kTag | static_cast<std::uint32_t>(version); }

/// Nothing: the word is not a tag of a known version, so there is no checksum.
std::optional<SumVersion> version_of(std::uint32_t tag) {
  for (const SumVersion version : {SumVersion::kBytes, SumVersion::kWithErrors, SumVersion::kBytesAndForm}) {
    if (tag == tag_of(version)) return version;
  }
  return std::nullopt;
}

/// Checksum of all entries after the file header.
std::uint64_t table_checksum(std::span<const std::byte> headers, const FileIdentity& identity) {
  const std::uint64_t seed = identity.version == SumVersion::kBytes ? 0 : identity.value;
  return checksum(headers.subspan(kFileHeaderBytes), seed);
}

void encode_entry(const BlockEntry& entry, std::byte* out) {
  if (entry.absent()) return;
  store_64(static_cast<std::uint64_t>(entry.offset_bytes), word(out, kOffsetLow), word(out, kOffsetHigh));
  store_be32(static_cast<std::uint32_t>(entry.size_bytes), word(out, kSize));
  store_be32(entry.flags, word(out, kFlags));
  if (!entry.checksum) return;
  store_be32(tag_of(entry.errors ? SumVersion::kWithErrors : entry.sum_version), word(out, kEntryTag));
  store_64(*entry.checksum, word(out, kSumLow), word(out, kSumHigh));
  if (!entry.errors) return;
  store_be32(std::bit_cast<std::uint32_t>(entry.errors->largest), word(out, kLargestError));
  store_be32(std::bit_cast<std::uint32_t>(entry.errors->rms), word(out, kRmsError));
}

/// The entry as stored; an offset of 2^63 and more comes out negative.
BlockEntry decode_entry(const std::byte* bytes) {
  BlockEntry entry{static_cast<Index>(load_64(word(bytes, kOffsetLow), word(bytes, kOffsetHigh))),
                   Index{load_be32(word(bytes, kSize))}, load_be32(word(bytes, kFlags))};
  if (entry.absent()) return {};
  if (const auto version = version_of(load_be32(word(bytes, kEntryTag)))) {
    entry.checksum = load_64(word(bytes, kSumLow), word(bytes, kSumHigh));
    entry.sum_version = *version;
    if (*version == SumVersion::kWithErrors) {
      entry.errors = {std::bit_cast<float>(load_be32(word(bytes, kLargestError))),
                      std::bit_cast<float>(load_be32(word(bytes, kRmsError)))};
    }
  }
  return entry;
}

Status check_entry(const BlockEntry& entry, Index number, Index first_data_byte, Index file_bytes) {
  if (entry.absent()) return {};
  if (entry.size_bytes > kMaxBlockBytes) {
    return error(Code::kDataLoss, "entry {}: block of {} bytes, expected less than 2 GiB", number,
                 entry.size_bytes);
  }
  if (entry.offset_bytes < first_data_byte) {
    return error(Code::kDataLoss, "entry {}: block at byte {}, expected {} or more, after the headers",
                 number, entry.offset_bytes, first_data_byte);
  }
  if (entry.offset_bytes > file_bytes || entry.size_bytes > file_bytes - entry.offset_bytes) {
    return error(Code::kDataLoss, "entry {}: block of {} bytes at byte {} exceeds the file of {} bytes",
                 number, entry.size_bytes, entry.offset_bytes, file_bytes);
  }
  if (entry.errors && !(entry.errors->largest >= 0 && entry.errors->rms >= 0)) {
    return error(Code::kDataLoss, "entry {}: errors {} and {}, expected numbers of 0 or more", number,
                 entry.errors->largest, entry.errors->rms);
  }
  return {};
}

/// Seeds of two fields, or steps, are far apart: 2^64 / golden ratio. Those of two flags use pi in the same
/// way.
constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15, kOddOfFlags = 0x517cc1b727220a95;

}  // namespace

Codec codec_number(CodecKind kind) {
  switch (kind) {
    case CodecKind::kZip:
      return Codec::kZip;
    case CodecKind::kLz4:
      return Codec::kLz4;
    case CodecKind::kZfp:
      return Codec::kZfp;
    default:
      return Codec::kRaw;
  }
}

std::uint32_t block_flags(InBlockOrder order, Codec codec) {
  return static_cast<std::uint32_t>(codec) | (order == InBlockOrder::kRowMajor ? kRowMajorFlag : 0);
}

std::uint64_t block_checksum(int field, Index block, std::uint32_t flags, std::span<const std::byte> stored,
                             SumVersion version) {
  const std::uint64_t place = static_cast<std::uint64_t>(field) * kOdd + static_cast<std::uint64_t>(block);
  return checksum(stored, version == SumVersion::kBytes ? place : place + flags * kOddOfFlags);
}

Index headers_bytes(Index blocks_per_file, Index num_fields) {
  const auto entries = checked_mul(blocks_per_file, num_fields);
  const auto table = entries ? checked_mul(*entries, kEntryBytes) : std::nullopt;
  const auto total = table ? checked_add(*table, kFileHeaderBytes) : std::nullopt;
  return total.value_or(std::numeric_limits<Index>::max());
}

FileIdentity file_identity(const Header& header, Index step, Index first_block, SumVersion version) {
  std::string text;
  for (const FieldEntry& field : header.fields) {
    text += fmt::format("{} {}[{}]", field.name, name(field.type), field.components);
    if (field.stored_bits > 0) text += fmt::format(" {} bits", field.stored_bits);
    text += '\n';
  }
  if (version != SumVersion::kBytes) {
    text += fmt::format("{} {}", header.block_mask().to_string(), header.bits_per_block);
    for (int a = 0; a < header.box.rank; ++a)
      text += fmt::format(" {} {}", header.box.lo[a], header.box.hi[a]);
  }
  return {checksum(std::as_bytes(std::span(text)),
                   static_cast<std::uint64_t>(step) * kOdd + static_cast<std::uint64_t>(first_block)),
          version};
}

std::optional<FileIdentity> identity_of(std::span<const std::byte> bytes) {
  const auto version = version_of(load_be32(word(bytes.data(), kTableTag)));
  if (!version) return std::nullopt;
  return FileIdentity{load_64(word(bytes.data(), kIdentityLow), word(bytes.data(), kIdentityHigh)), *version};
}

std::vector<std::byte> encode_headers(std::span<const BlockEntry> entries,
                                      std::optional<FileIdentity> identity) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(kFileHeaderBytes) +
                               entries.size() * static_cast<std::size_t>(kEntryBytes));
  std::byte* out = bytes.data() + kFileHeaderBytes;
  for (const BlockEntry& entry : entries) {
    encode_entry(entry, out);
    out += kEntryBytes;
  }
  if (identity) {
    store_be32(tag_of(identity->version), word(bytes.data(), kTableTag));
    store_64(table_checksum(bytes, *identity), word(bytes.data(), kTableSumLow),
             word(bytes.data(), kTableSumHigh));
    store_64(identity->value, word(bytes.data(), kIdentityLow), word(bytes.data(), kIdentityHigh));
  }
  return bytes;
}

TableCheck check_table(std::span<const std::byte> bytes) {
  const std::optional<FileIdentity> identity = identity_of(bytes);
  if (!identity) return TableCheck::kUnchecked;
  const std::uint64_t stored = load_64(word(bytes.data(), kTableSumLow), word(bytes.data(), kTableSumHigh));
  return stored == table_checksum(bytes, *identity) ? TableCheck::kGood : TableCheck::kChanged;
}

Result<std::vector<BlockEntry>> decode_headers(std::span<const std::byte> bytes, Index num_entries,
                                               Index file_bytes, Index data_start) {
  const Index expected_bytes = headers_bytes(num_entries, 1);
  if (num_entries < 0 || static_cast<Index>(bytes.size()) != expected_bytes) {
    return error(Code::kDataLoss, "headers of {} bytes, expected {} for {} entries", bytes.size(),
                 expected_bytes, num_entries);
  }
  std::vector<BlockEntry> entries;
  entries.reserve(static_cast<std::size_t>(num_entries));
  for (Index number = 0; number < num_entries; ++number) {
    const BlockEntry entry = decode_entry(bytes.data() + kFileHeaderBytes + number * kEntryBytes);
    ESKER_RETURN_IF_ERROR(check_entry(entry, number, std::max(expected_bytes, data_start), file_bytes));
    entries.push_back(entry);
  }
  return entries;
}

// Sorted by offset, an entry overlaps a later one only if it overlaps the next one.
std::optional<std::pair<Index, Index>> find_overlap(std::span<const BlockEntry> entries) {
  std::vector<Index> present;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].absent()) present.push_back(static_cast<Index>(i));
  }
  const auto entry = [&](Index i) -> const BlockEntry& { return entries[static_cast<std::size_t>(i)]; };
  std::sort(present.begin(), present.end(), [&](Index a, Index b) {
    return std::pair(entry(a).offset_bytes, a) < std::pair(entry(b).offset_bytes, b);
  });
  for (std::size_t k = 1; k < present.size(); ++k) {
    const BlockEntry& before = entry(present[k - 1]);
    if (entry(present[k]).offset_bytes - before.offset_bytes < before.size_bytes) {
      return std::pair(present[k - 1], present[k]);
    }
  }
  return std::nullopt;
}

}  // namespace esker::idx
