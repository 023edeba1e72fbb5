#include "shared_cdf/header_edit.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "base/byte_order.h"
#include "base/macros.h"
#include "store/checksum.h"
#include "store/commit.h"

namespace esker::cdf {
namespace {

constexpr std::size_t kMagicBytes = 8, kHeadBytes = kMagicBytes + 3 * 8;
constexpr char kMagic[kMagicBytes + 1] = "ESKHDR1\n";
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

struct HeaderJournal {
  std::vector<std::byte> before, after;
};

std::uint64_t load_be64(const std::byte* p) {
  return static_cast<std::uint64_t>(load_be32(p)) << 32 | load_be32(p + 4);
}

/// Magic, both lengths, checksum of what follows; then both headers.
std::string print_journal(std::span<const std::byte> before, std::span<const std::byte> after) {
  std::vector<std::byte> headers(before.begin(), before.end());
  headers.insert(headers.end(), after.begin(), after.end());
  std::vector<std::byte> numbers;
  append_be(before.size(), 8, numbers);
  append_be(after.size(), 8, numbers);
  append_be(checksum(headers, 0), 8, numbers);
  std::string text(kMagic, kMagicBytes);
  text.append(reinterpret_cast<const char*>(numbers.data()), numbers.size());
  text.append(reinterpret_cast<const char*>(headers.data()), headers.size());
  return text;
}

/// Nothing if it is torn, or is not a journal.
std::optional<HeaderJournal> parse_journal(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeadBytes || std::memcmp(bytes.data(), kMagic, kMagicBytes) != 0) return std::nullopt;
  const std::uint64_t before = load_be64(&bytes[kMagicBytes]), after = load_be64(&bytes[kMagicBytes + 8]);
  const auto headers = bytes.subspan(kHeadBytes);
  if (before > headers.size() || after != headers.size() - before) return std::nullopt;
  if (checksum(headers, 0) != load_be64(&bytes[kMagicBytes + 16])) return std::nullopt;
  return HeaderJournal{{headers.begin(), headers.begin() + static_cast<std::ptrdiff_t>(before)},
                       {headers.begin() + static_cast<std::ptrdiff_t>(before), headers.end()}};
}

/// Whether each byte is the old one or the new one.
bool is_between(std::span<const std::byte> found, const HeaderJournal& journal) {
  if (found.size() < journal.before.size() || journal.after.size() < journal.before.size()) return false;
  for (std::size_t i = 0; i < journal.before.size(); ++i) {
    if (found[i] != journal.before[i] && found[i] != journal.after[i]) return false;
  }
  return true;
}

/// At most `most` bytes; fewer if the file is shorter.
Result<std::vector<std::byte>> read_first(Store& store, const std::string& path, std::size_t most) {
  ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kRead));
  ESKER_ASSIGN_OR_RETURN(const Index size_bytes, file->size_bytes());
  std::vector<std::byte> bytes(std::min(most, static_cast<std::size_t>(size_bytes)));
  ESKER_RETURN_IF_ERROR(file->read_at(bytes, 0));
  return bytes;
}

}  // namespace

std::string header_journal_of(const std::string& path) { return path + ".header"; }

Status edit_header(Store& store, const std::string& path, std::span<const std::byte> after, bool durable) {
  ESKER_RETURN_IF_ERROR(recover_header(store, path, durable));
  ESKER_ASSIGN_OR_RETURN(const std::vector<std::byte> before, read_first(store, path, after.size()));
  if (std::ranges::equal(before, after)) return {};
  const std::string journal = header_journal_of(path);
  const auto write = [&](std::span<const std::byte> bytes) {
    return edit_file(
        store, path, [&](File& file) { return file.write_at(bytes, 0); }, durable);
  };
  Status written = replace_file(store, journal, print_journal(before, after), durable);
  if (written.ok()) {
    written = write(after);
    if (!written.ok() && !write(before).ok()) return written;  // the journal stays
  }
  const Status removed = store.remove(journal);
  return written.ok() ? removed : written;
}

Status recover_header(Store& store, const std::string& path, bool durable) {
  const std::string journal = header_journal_of(path);
  ESKER_RETURN_IF_ERROR(store.remove(temporary_of(journal)));
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(journal));
  if (!exists) return {};
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, journal, kMostBytes));
  ESKER_ASSIGN_OR_RETURN(const bool has_file, store.exists(path));
  const auto found = parse_journal(std::as_bytes(std::span(text)));
  if (found && has_file) {
    ESKER_ASSIGN_OR_RETURN(const auto stored, read_first(store, path, found->after.size()));
    if (is_between(stored, *found)) {
      const auto complete = [&](File& file) { return file.write_at(found->after, 0); };
      ESKER_RETURN_IF_ERROR(edit_file(store, path, complete, durable));
    }
  }
  return store.remove(journal);
}

}  // namespace esker::cdf
