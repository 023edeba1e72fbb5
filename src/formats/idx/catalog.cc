// clang-format off
// catalog   = {"format": 1 ... 3, "generation": integer, "parts": [part ...],
//              "times": [real ...], "options": {"name": "text"},
//              "sum": "16 hexadecimal digits"}                                  ; sum: with format 2 and 3
// part      = {"name", "grid", "fixed", [partition]}
// partition = "partition": integer, "lo": [integer ...], "hi": [integer ...], "mask": "V..." ; with format 3
// clang-format on
#include "formats/idx/catalog.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/json_text.h"
#include "format/json_writer.h"
#include "format/schema_json.h"
#include "grid/coverage.h"
#include "grid/move_box.h"
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

Result<PartPlace> read_place(const Json& json) {
  PartPlace place;
  ESKER_ASSIGN_OR_RETURN(const Index partition,
                         get_integer(json, "partition", 0, Catalog::kMaxPartitions - 1));
  place.partition = static_cast<int>(partition);
  ESKER_ASSIGN_OR_RETURN(const std::vector<Index> lo, get_integers(json, "lo"));
  ESKER_ASSIGN_OR_RETURN(const std::vector<Index> hi, get_integers(json, "hi"));
  ESKER_ASSIGN_OR_RETURN(const std::string mask, get_text(json, "mask"));
  const auto parsed = Bitmask::parse(mask);
  if (!parsed.ok()) return error(Code::kDataLoss, "'mask': {}", parsed.status().message());
  place.mask = *parsed;
  const auto rank = static_cast<std::size_t>(place.mask.rank());
  const Box whole = place.mask.pow2_box();
  place.box.rank = place.mask.rank();
  for (std::size_t a = 0; a < rank && lo.size() == rank && hi.size() == rank; ++a) {
    place.box.lo[a] = lo[a];
    place.box.hi[a] = hi[a];
  }
  const bool is_inside = !place.box.empty() && whole.contains(place.box);
  if (lo.size() == rank && hi.size() == rank && is_inside) return place;
  return error(Code::kDataLoss, "'lo' and 'hi': expected a box of {} axes in {}, found {}", rank,
               whole.to_string(), place.box.to_string());
}

/// Those of one grid have the same mask and cover its box exactly once.
Status check_partitions(const std::vector<const CatalogPart*>& parts) {
  std::vector<Box> boxes;
  for (const CatalogPart* part : parts) {
    if (!part->place || !(part->place->mask == parts.front()->place->mask)) {
      return error(Code::kDataLoss,
                   "parts '{}' and '{}' of grid '{}': expected partitions with the same mask",
                   parts.front()->name, part->name, part->grid);
    }
    boxes.push_back(part->place->box);
  }
  const auto defect = find_coverage_defect(box_of_partitions(parts), boxes);
  if (!defect) return {};
  if (defect->second < 0) {
    return error(Code::kDataLoss, "grid '{}': a part is missing: no part has the samples {}",
                 parts.front()->grid, defect->where.to_string());
  }
  return error(Code::kDataLoss, "grid '{}': parts '{}' and '{}' both have the samples {}",
               parts.front()->grid, parts[static_cast<std::size_t>(defect->first)]->name,
               parts[static_cast<std::size_t>(defect->second)]->name, defect->where.to_string());
}

Status check_partitions(const Catalog& catalog) {
  std::map<std::pair<std::string, bool>, std::vector<const CatalogPart*>> of_grid;
  for (const CatalogPart& part : catalog.parts) of_grid[{part.grid, part.fixed}].push_back(&part);
  for (const auto& [grid, parts] : of_grid) {
    const auto has_place = [](const CatalogPart* part) { return part->place.has_value(); };
    const auto first = std::find_if(parts.begin(), parts.end(), has_place);
    if (first == parts.end()) continue;
    std::vector<const CatalogPart*> placed = parts;
    std::swap(placed.front(), placed[static_cast<std::size_t>(first - parts.begin())]);
    ESKER_RETURN_IF_ERROR(check_partitions(placed));
  }
  return {};
}

Result<CatalogPart> read_part(const Json& json) {
  CatalogPart part;
  ESKER_ASSIGN_OR_RETURN(part.name, get_text(json, "name"));
  ESKER_RETURN_IF_ERROR(check_part_name(part.name));
  ESKER_ASSIGN_OR_RETURN(part.grid, get_text(json, "grid"));
  ESKER_ASSIGN_OR_RETURN(part.fixed, get_bool(json, "fixed"));
  if (!json.contains("partition")) return part;
  auto place = read_place(json);
  if (!place.ok()) return place.status().with_context("part '" + part.name + "'");
  part.place = *place;
  return part;
}

void write_place(JsonWriter& json, const PartPlace& place) {
  const auto write_point = [&](const Point& point) {
    json.array([&] {
      for (int a = 0; a < place.box.rank; ++a) json.integer(point[static_cast<std::size_t>(a)]);
    });
  };
  json.key("partition").integer(place.partition);
  json.key("lo");
  write_point(place.box.lo);
  json.key("hi");
  write_point(place.box.hi);
  json.key("mask").text(place.mask.to_string());
}

int format_of(const Catalog& catalog) {
  const bool has_partitions = std::any_of(catalog.parts.begin(), catalog.parts.end(),
                                          [](const CatalogPart& part) { return part.place.has_value(); });
  return has_partitions ? Catalog::kFormat : 2;
}

/// The members without the checksum.
void write_members(JsonWriter& json, const Catalog& catalog) {
  json.key("format").integer(format_of(catalog));
  json.key("generation").integer(catalog.generation);
  json.key("parts").array([&] {
    for (const CatalogPart& part : catalog.parts) {
      json.object([&] {
        json.key("name").text(part.name);
        json.key("grid").text(part.grid);
        json.key("fixed").boolean(part.fixed);
        if (part.place) write_place(json, *part.place);
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

Box box_of_partitions(const std::vector<const CatalogPart*>& parts) {
  Box box = parts.front()->place->box;
  for (const CatalogPart* part : parts) box = hull(box, part->place->box);
  return box;
}

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
  ESKER_RETURN_IF_ERROR(check_partitions(catalog));
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
