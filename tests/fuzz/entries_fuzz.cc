// The binary header of a block file: the input is the beginning of a file whose size is the input's.
#include <algorithm>

#include "formats/idx/entries.h"
#include "fuzz/fuzz.h"

namespace {

using namespace esker::idx;
using esker::Index;
using esker::fuzz::require;

/// Compares each pair of the first 64 entries.
bool overlap(const std::vector<BlockEntry>& entries) {
  const std::size_t n = std::min<std::size_t>(64, entries.size());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const BlockEntry &a = entries[i], &b = entries[j];
      if (a.absent() || b.absent()) continue;
      const Index first = std::max(a.offset_bytes, b.offset_bytes);
      if (first < std::min(a.offset_bytes + a.size_bytes, b.offset_bytes + b.size_bytes)) return true;
    }
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file_bytes = static_cast<Index>(size);
  const Index num_entries = std::max<Index>(0, (file_bytes - kFileHeaderBytes) / kEntryBytes / 2);
  const Index headers = std::min(headers_bytes(num_entries, 1), file_bytes);
  const auto bytes = std::as_bytes(std::span(data, size)).first(static_cast<std::size_t>(headers));
  const auto entries = decode_headers(bytes, num_entries, file_bytes);
  esker::fuzz::require_short_message(entries.status());
  if (!entries.ok()) return 0;
  require(static_cast<Index>(entries->size()) == num_entries, "there are as many entries as asked for");
  for (const BlockEntry& entry : *entries) {
    require(entry.absent() ||
                (entry.offset_bytes >= headers && entry.size_bytes <= file_bytes - entry.offset_bytes),
            "a block lies between the headers and the end of the file");
    require(!entry.errors || (entry.checksum && entry.errors->largest >= 0 && entry.errors->rms >= 0),
            "errors are numbers, and come with a checksum");
  }
  require(!overlap(*entries) || find_overlap(*entries), "an overlap is found");
  const auto again = decode_headers(encode_headers(*entries), num_entries, file_bytes);
  require(again.ok() && *again == *entries, "encoded headers read back as equal");
  return 0;
}
