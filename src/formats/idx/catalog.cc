// clang-format off
// catalog = {"format": 1 or 2, "generation": integer, "parts": [{"name", "grid", "fixed"} ...],
//            "times": [real ...], "options": {"name": "text"},
//            "sum": "16 hexadecimal digits"}                                    ; sum: with format 2
// clang-format on
#include "formats/idx/catalog.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/json_text.h"
#include "format/json_writer.h"
#include "format/schema_json.h"
#include "store/checksum.h"

namespace esker::idx {
namespace {

constexpr int kIndent = 1;
constexpr Index kAnyPositive = std::numeric_limits<Index>::max();

Status check_part_name(const std::string& name) {
  constexpr std::size_t kMaxNameChars = 200;
  if (name.empty() || name.size() > kMaxNameChars || name.front() == '.' ||
      !std::all_of(name.begin(), name.end(), is_name_character)) {
    return error(Code::kDataLoss, "part name '{}': expected letters, digits, '_', '.', '-'", excerpt(name));
  }
  return {};
}

Result<CatalogPart> read_part(const Json& json) {
  CatalogPart part;
  ESKER_ASSIGN_OR_RETURN(part.name, get_text(json, "name"));
  ESKER_RETURN_IF_ERROR(check_part_name(part.name));
  ESKER_ASSIGN_OR_RETURN(part.grid, get_text(json, "grid"));
  ESKER_ASSIGN_OR_RETURN(part.fixed, get_bool(json, "fixed"));
  return part;
}

/// The members without the checksum.
void write_members(JsonWriter& json, const Catalog& catalog) {
  json.key("format").integer(Catalog::kFormat);
  json.key("generation").integer(catalog.generation);
  json.key("parts").array([&] {
    for (const CatalogPart& part : catalog.parts) {
      json.object([&] {
        json.key("name").text(part.name);
        json.key("grid").text(part.grid);
        json.key("fixed").boolean(part.fixed);
      });
    }
  });
  json.key("times").reals(catalog.times);
  json.key("options").object([&] {
    for (const auto& [name, value] : catalog.options) json.key(name).text(value);
  });
}

/// Checksum of the catalog's values, independent of its formatting.
std::uint64_t sum_of(const Catalog& catalog) {
  JsonWriter json;
  json.object([&] { write_members(json, catalog); });
  const std::string text = json.take();
  return checksum(std::as_bytes(std::span(text)), 0);
}

}  // namespace

std::string print_catalog(const Catalog& catalog) {
  JsonWriter json(kIndent);
  json.object([&] {
    write_members(json, catalog);
    json.key("sum").text(print_sum(sum_of(catalog)));
  });
  return json.take() + "\n";
}

Result<Catalog> parse_catalog(const std::string& text) {
  ESKER_ASSIGN_OR_RETURN(const JsonHolder holder, parse_json_object(text, kMaxSidecarBytes));
  const Json& json = holder.json;
  ESKER_RETURN_IF_ERROR(check_format(json, Catalog::kFormat));
  Catalog catalog;
  ESKER_ASSIGN_OR_RETURN(catalog.generation, get_integer(json, "generation", 0, kAnyPositive));
  ESKER_ASSIGN_OR_RETURN(const Json* parts, get_array(json, "parts"));
  std::set<std::string> names;
  for (const Json& element : *parts) {
    ESKER_ASSIGN_OR_RETURN(CatalogPart part, read_part(element));
    if (!names.insert(part.name).second) {
      return error(Code::kDataLoss, "two parts have the name '{}'", excerpt(part.name));
    }
    catalog.parts.push_back(std::move(part));
  }
  ESKER_ASSIGN_OR_RETURN(catalog.times, get_reals(json, "times"));
  if (json.contains("options")) {
    ESKER_ASSIGN_OR_RETURN(const Json* options, get_object(json, "options"));
    for (const auto& item : options->items()) {
      ESKER_ASSIGN_OR_RETURN(catalog.options[item.key()], get_text(*options, item.key().c_str()));
    }
  }
  ESKER_ASSIGN_OR_RETURN(const Index format, get_integer(json, "format", 1, Catalog::kFormat));
  if (format == 1 && !json.contains("sum")) return catalog;
  ESKER_ASSIGN_OR_RETURN(const std::uint64_t sum, get_sum(json));
  const std::uint64_t expected = sum_of(catalog);
  if (sum == expected) return catalog;
  return error(Code::kDataLoss,
               "the file records the checksum {}, but its text has {}: it was edited or damaged; undo the "
               "change, or restore the file from a copy",
               print_sum(sum), print_sum(expected));
}

}  // namespace esker::idx
