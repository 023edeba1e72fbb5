// The JSON that Esker writes next to and inside the .idx: schema, catalog, commit record.
#include "format/schema_json.h"
#include "formats/idx/catalog.h"
#include "formats/idx/commit_record.h"
#include "fuzz/fuzz.h"

namespace {

/// A text that `parse` accepts can be printed, and the result parses as equal.
template <class Parse, class Print>
void check(const std::string& text, Parse parse, Print print) {
  const auto parsed = parse(text);
  esker::fuzz::require_short_message(parsed.status());
  if (!parsed.ok()) return;
  const std::string printed = print(*parsed);
  const auto again = parse(printed);
  esker::fuzz::require(again.ok(), "printed JSON parses");
  esker::fuzz::require(print(*again) == printed, "printed JSON reads back as equal");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = esker::fuzz::text_of(data, size);
  check(text, esker::parse_schema, [](const esker::Schema& schema) { return esker::print_schema(schema); });
  check(text, esker::idx::parse_catalog, esker::idx::print_catalog);
  check(text, esker::idx::parse_commit_record, esker::idx::print_commit_record);
  return 0;
}
