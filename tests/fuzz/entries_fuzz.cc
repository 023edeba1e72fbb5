// The binary header of a block file: the input is the beginning of a file whose size is the input's.
#include <algorithm>

#include "format/idx/entries.h"
#include "fuzz/fuzz.h"

using namespace esker::idx;
using esker::Index;
using esker::fuzz::require;

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
  }
  const auto again = decode_headers(encode_headers(*entries), num_entries, file_bytes);
  require(again.ok() && *again == *entries, "encoded headers read back as equal");
  return 0;
}
