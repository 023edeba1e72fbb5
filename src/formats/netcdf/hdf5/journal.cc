#include "formats/netcdf/hdf5/journal.h"

#include <algorithm>
#include <cstring>

#include "base/byte_order.h"  // asserts the byte order
#include "base/bytes_of.h"
#include "base/error.h"
#include "base/macros.h"
#include "store/checksum.h"
#include "store/commit.h"

namespace esker::hdf5 {
namespace {

constexpr std::string_view kMagic = "esker-j1";
constexpr std::size_t kMaxJournalBytes = std::size_t{4} << 30;
constexpr std::size_t kWord = sizeof(std::uint64_t);

void append_word(std::string& text, std::uint64_t word) {
  text.append(reinterpret_cast<const char*>(&word), kWord);
}

/// Takes words and bytes from the front; reports when there are too few.
class Parser {
 public:
  explicit Parser(std::span<const std::byte> rest) : rest_(rest) {}

  [[nodiscard]] bool is_good() const { return is_good_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  std::span<const std::byte> take(std::uint64_t n) {
    is_good_ = is_good_ && n <= rest_.size();
    if (!is_good_) return {};
    const auto taken = rest_.first(static_cast<std::size_t>(n));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  std::uint64_t take_word() {
    std::uint64_t word = 0;
    const auto bytes = take(kWord);
    if (!bytes.empty()) std::memcpy(&word, bytes.data(), kWord);
    return word;
  }
  std::string take_text(std::uint64_t n) {
    const auto bytes = take(n);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::byte> rest_;
  bool is_good_ = true;
};

Status remove_journal(Store& store, const std::string& path, bool durable) {
  ESKER_RETURN_IF_ERROR(store.remove(journal_of(path)));
  return durable ? store.sync_directory(directory_of(path)) : Status();
}

Status apply_to(Store& store, const std::string& path, const Change& change, bool durable) {
  return edit_file(
      store, path, [&](File& file) { return apply(file, change); }, durable);
}

}  // namespace

std::string journal_of(const std::string& path) { return path + ".esker-journal"; }

Result<std::string> superblock_of(const File& file) {
  std::string superblock(kSuperblockBytes, '\0');
  ESKER_RETURN_IF_ERROR(file.read_at(std::as_writable_bytes(std::span(superblock)), 0));
  return superblock;
}

std::string superblock_after(const std::string& superblock, const Change& change) {
  std::string after = superblock;
  for (const auto& [offset, bytes] : change.ranges) {
    if (offset >= kSuperblockBytes) break;
    const Index n = std::min(static_cast<Index>(bytes.size()), kSuperblockBytes - offset);
    std::memcpy(after.data() + offset, bytes.data(), static_cast<std::size_t>(n));
  }
  return after;
}

std::string print_journal(const Journal& journal) {
  std::size_t size = kMagic.size() + 2 * static_cast<std::size_t>(kSuperblockBytes) + 3 * kWord;
  for (const auto& [offset, bytes] : journal.change.ranges) size += 2 * kWord + bytes.size();
  std::string text;
  text.reserve(size);  // megabytes, if there are thousands of fields
  text += kMagic;
  text += journal.superblock_before;
  text += journal.superblock_after;
  append_word(text, static_cast<std::uint64_t>(journal.change.file_bytes));
  append_word(text, journal.change.ranges.size());
  for (const auto& [offset, bytes] : journal.change.ranges) {
    append_word(text, static_cast<std::uint64_t>(offset));
    append_word(text, bytes.size());
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  append_word(text, checksum(bytes_of(text), 0));
  return text;
}

// A text with a valid checksum was written by print_journal(); values are still checked against the number of
// bytes.
std::optional<Journal> parse_journal(std::span<const std::byte> bytes) {
  if (bytes.size() < kMagic.size() + kWord) return std::nullopt;
  Parser sum(bytes.last(kWord));
  const auto summed = bytes.first(bytes.size() - kWord);
  if (sum.take_word() != checksum(summed, 0)) return std::nullopt;
  Parser parser(summed);
  if (parser.take_text(kMagic.size()) != kMagic) return std::nullopt;
  Journal journal;
  journal.superblock_before = parser.take_text(kSuperblockBytes);
  journal.superblock_after = parser.take_text(kSuperblockBytes);
  journal.change.file_bytes = static_cast<Index>(parser.take_word());
  if (journal.change.file_bytes < kSuperblockBytes) return std::nullopt;
  Index end = 0;  // of the previous range
  for (std::uint64_t n = parser.take_word(); n > 0; --n) {
    const auto offset = static_cast<Index>(parser.take_word());
    const auto range = parser.take(parser.take_word());
    const bool fits = offset >= end && static_cast<Index>(range.size()) <= journal.change.file_bytes - offset;
    if (!parser.is_good() || !fits) return std::nullopt;
    journal.change.ranges.emplace_hint(journal.change.ranges.end(), offset,
                                       std::vector<std::byte>(range.begin(), range.end()));
    end = offset + static_cast<Index>(range.size());
  }
  if (!parser.is_good() || !parser.at_end()) return std::nullopt;
  return journal;
}

// The journal appears under its name complete, because it may replace a complete one that is still needed.
Status change_file(Store& store, const std::string& path, const Change& change, bool durable) {
  Journal journal{{}, {}, change};
  {
    ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kRead));
    ESKER_ASSIGN_OR_RETURN(journal.superblock_before, superblock_of(*file));
  }
  journal.superblock_after = superblock_after(journal.superblock_before, change);
  ESKER_RETURN_IF_ERROR(replace_file(store, journal_of(path), print_journal(journal), durable));
  ESKER_RETURN_IF_ERROR(apply_to(store, path, change, durable));
  return remove_journal(store, path, durable);
}

// The file is changed after the journal has appeared, and has the complete change before the journal is
// removed.
Result<bool> may_be_changed(Store& store, const std::string& path, const std::string& superblock_before,
                            const std::string& superblock_after) {
  ESKER_ASSIGN_OR_RETURN(const bool has_journal, store.exists(journal_of(path)));
  if (has_journal || superblock_before == superblock_after) return true;
  ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kRead));
  ESKER_ASSIGN_OR_RETURN(const std::string superblock, superblock_of(*file));
  return superblock != superblock_before;
}

Result<std::optional<Journal>> read_journal(Store& store, const std::string& path) {
  std::optional<Journal> journal;
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(journal_of(path)));
  if (!exists) return journal;
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, journal_of(path), kMaxJournalBytes));
  journal = parse_journal(bytes_of(text));
  if (!journal) return journal;
  ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kRead));
  ESKER_ASSIGN_OR_RETURN(const std::string superblock, superblock_of(*file));
  if (superblock == journal->superblock_before || superblock == journal->superblock_after) return journal;
  return error(Code::kDataLoss,
               "{} is not a journal of the current state of {}; remove the journal if the file is good",
               journal_of(path), path);
}

Result<Overlay> overlay_of(const File& file, const std::optional<Journal>& journal) {
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file.size_bytes());
  Overlay overlay(&file, file_bytes);
  if (!journal) return overlay;
  for (const auto& [offset, bytes] : journal->change.ranges) overlay.write(bytes, offset);
  overlay.set_end_bytes(std::max(overlay.end_bytes(), journal->change.file_bytes));
  return overlay;
}

Status recover(Store& store, const std::string& path, bool durable) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(journal_of(path)));
  if (!exists) return {};
  ESKER_ASSIGN_OR_RETURN(const bool has_file, store.exists(path));
  if (!has_file) return remove_journal(store, path, durable);
  ESKER_ASSIGN_OR_RETURN(const auto journal, read_journal(store, path));
  if (journal) ESKER_RETURN_IF_ERROR(apply_to(store, path, journal->change, durable));
  return remove_journal(store, path, durable);
}

}  // namespace esker::hdf5
