#include "formats/idx/merge_journal.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/bytes_of.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/header.h"
#include "store/checksum.h"

namespace esker::idx {
namespace {

constexpr std::array<char, 8> kMagic{'E', 'S', 'K', 'M', 'E', 'R', 'G', '1'};
constexpr Index kMaxNameBytes = 4096;
constexpr Index kMaxTableBytes = kMaxEntriesPerFile * 40 + 40;

/// The numbers in front of the bytes of a record, or of a name.
template <std::size_t n>
using Numbers = std::array<std::uint64_t, n>;

template <std::size_t n>
std::span<const std::byte> bytes_of_numbers(const Numbers<n>& numbers) {
  return std::as_bytes(std::span(numbers));
}

/// The last number is the sum of the others and of `bytes`.
template <std::size_t n>
std::uint64_t sum_of(const Numbers<n>& numbers, std::span<const std::byte> bytes) {
  return checksum(bytes, checksum(bytes_of_numbers(numbers).first((n - 1) * sizeof(numbers[0])), 0));
}

Status damaged(const char* what) {
  return error(Code::kDataLoss, "the journal of `esker merge` is damaged: {}", what);
}

}  // namespace

Status MergeJournalWriter::append(std::span<const std::byte> bytes) {
  ESKER_RETURN_IF_ERROR(file_.write_at(bytes, end_bytes_));
  end_bytes_ += std::ssize(bytes);
  return {};
}

Status MergeJournalWriter::begin(Index step, const std::string& name) {
  Numbers<4> head{};
  std::memcpy(head.data(), kMagic.data(), kMagic.size());
  head[1] = static_cast<std::uint64_t>(step);
  head[2] = name.size();
  head[3] = sum_of(head, bytes_of(name));
  ESKER_RETURN_IF_ERROR(append(bytes_of_numbers(head)));
  return append(bytes_of(name));
}

Status MergeJournalWriter::add(MergeKind kind, Index first_block, Index offset_bytes,
                               std::span<const std::byte> bytes) {
  Numbers<5> record{static_cast<std::uint64_t>(kind), static_cast<std::uint64_t>(first_block),
                    static_cast<std::uint64_t>(offset_bytes), bytes.size(), 0};
  record[4] = sum_of(record, bytes);
  ESKER_RETURN_IF_ERROR(append(bytes_of_numbers(record)));
  return append(bytes);
}

Status MergeJournalWriter::end() { return add(MergeKind::kEnd, 0, 0, {}); }

Result<MergeJournalHead> read_merge_head(const File& file) {
  Numbers<4> head{};
  ESKER_RETURN_IF_ERROR(file.read_at(std::as_writable_bytes(std::span(head)), 0));
  if (std::memcmp(head.data(), kMagic.data(), kMagic.size()) != 0) return damaged("other magic bytes");
  if (head[2] > kMaxNameBytes) return damaged("a name of more than 4096 bytes");
  MergeJournalHead found;
  found.step = static_cast<Index>(head[1]);
  found.name.resize(head[2]);
  ESKER_RETURN_IF_ERROR(file.read_at(std::as_writable_bytes(std::span(found.name)), sizeof(head)));
  if (head[3] != sum_of(head, bytes_of(found.name))) return damaged("its head has another checksum");
  found.records_at = static_cast<Index>(sizeof(head) + found.name.size());
  return found;
}

Status for_each_merge_record(const File& file, const MergeJournalHead& head, const VisitMergeRecord& visit) {
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file.size_bytes());
  std::vector<std::byte> bytes;
  for (Index at = head.records_at;;) {
    Numbers<5> numbers{};
    ESKER_RETURN_IF_ERROR(file.read_at(std::as_writable_bytes(std::span(numbers)), at));
    at += static_cast<Index>(sizeof(numbers));
    const auto most =
        static_cast<std::uint64_t>(std::min(file_bytes - at, std::max(kMaxBlockBytes, kMaxTableBytes)));
    if (numbers[3] > most) return damaged("a record exceeds it");
    bytes.resize(numbers[3]);
    ESKER_RETURN_IF_ERROR(file.read_at(bytes, at));
    at += std::ssize(bytes);
    if (numbers[4] != sum_of(numbers, bytes)) return damaged("a record has another checksum");
    const MergeRecord record{static_cast<MergeKind>(numbers[0]), static_cast<Index>(numbers[1]),
                             static_cast<Index>(numbers[2]), std::ssize(bytes)};
    if (record.kind == MergeKind::kEnd) return {};
    if (record.kind > MergeKind::kTable) return damaged("a record of an unknown kind");
    ESKER_RETURN_IF_ERROR(visit(record, bytes));
  }
}

}  // namespace esker::idx
