#include "formats/zarr/geo_attributes.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

namespace esker::zarr {
namespace {

constexpr std::array kNames{kConventionsAttribute, "proj:code",          "proj:wkt2",
                            "spatial:bbox",        "spatial:dimensions", "spatial:registration",
                            "spatial:shape",       "spatial:transform"};

/// The text of an attribute; empty if there is none.
std::string text_in(const Attributes& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  const std::string* text = found == attributes.end() ? nullptr : text_of(found->second);
  return text ? *text : std::string();
}

/// What CF's attributes, or else the name, make of an axis.
struct AxisKind {
  const char* axis;
  std::array<const char*, 3> standard_names;
  const char* units_begin;  ///< degrees_east, degreeE ... of longitudes
  char units_end;
  std::array<const char*, 3> names;
};
constexpr AxisKind kY{
    "Y", {"projection_y_coordinate", "latitude", "grid_latitude"}, "degree", 'n', {"y", "lat", "latitude"}};
constexpr AxisKind kX{"X",
                      {"projection_x_coordinate", "longitude", "grid_longitude"},
                      "degree",
                      'e',
                      {"x", "lon", "longitude"}};

bool is_in(const std::array<const char*, 3>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

/// degrees_north, degree_north, degrees_N, degreeN ...
bool is_unit_of(const AxisKind& kind, std::string units) {
  std::ranges::transform(units, units.begin(), [](unsigned char c) { return std::tolower(c); });
  if (!units.starts_with(kind.units_begin)) return false;
  units.erase(0, std::string_view(kind.units_begin).size());
  std::erase(units, '_');
  if (units.starts_with('s')) units.erase(0, 1);
  return !units.empty() && units.front() == kind.units_end;
}

bool is_axis(const AxisKind& kind, const Dimension& dim) {
  const std::string axis = text_in(dim.attributes, "axis");
  const std::string standard_name = text_in(dim.attributes, "standard_name");
  if (!axis.empty()) return axis == kind.axis;
  if (!standard_name.empty()) return is_in(kind.standard_names, standard_name);
  return is_unit_of(kind, text_in(dim.attributes, "units")) || is_in(kind.names, dim.name);
}

/// Evenly spaced centers of cells.
struct Spacing {
  double first_edge = 0;  ///< of the first cell
  double step = 0;
  Index count = 0;
};

std::optional<Spacing> spacing_of(const std::vector<double>& centers) {
  constexpr double kTolerance = 1e-3;  // of a step: coordinates may have been float32
  if (centers.size() < 2) return std::nullopt;
  const double step = (centers.back() - centers.front()) / static_cast<double>(centers.size() - 1);
  if (!std::isfinite(step) || step == 0) return std::nullopt;
  for (std::size_t n = 0; n < centers.size(); ++n) {
    const double even = centers.front() + step * static_cast<double>(n);
    if (!(std::abs(centers[n] - even) <= kTolerance * std::abs(step))) return std::nullopt;
  }
  return Spacing{centers.front() - step / 2, step, std::ssize(centers)};
}

/// An axis of a kind, if the grid has exactly one, evenly spaced.
struct FoundAxis {
  std::string dim;
  Spacing spacing;
};

std::optional<FoundAxis> find_axis(const Schema& schema, const Grid& grid, const AxisKind& kind) {
  std::optional<FoundAxis> found;
  for (const int place : grid.dims) {
    const Dimension& dim = schema.dims()[static_cast<std::size_t>(place)];
    const auto coords = grid.coords.find(dim.name);
    if (coords == grid.coords.end() || !is_axis(kind, dim)) continue;
    const auto spacing = spacing_of(coords->second);
    if (found || !spacing) return std::nullopt;
    found = {dim.name, *spacing};
  }
  return found;
}

bool is_digit(unsigned char c) { return std::isdigit(c) != 0; }

/// "EPSG:3413" of "EPSG:3413", "epsg:3413" and "3413"; empty if it is none of these.
std::string code_of(std::string text) {
  constexpr std::string_view kAuthority = "EPSG:";
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  if (text.starts_with(kAuthority)) text.erase(0, kAuthority.size());
  const bool is_number = !text.empty() && std::ranges::all_of(text, is_digit);
  return is_number ? std::string(kAuthority) + text : std::string();
}

/// The code that WKT ends with, ID["EPSG",3413]] or AUTHORITY["EPSG","3413"]]; empty if it has none.
std::string code_in_wkt(std::string wkt) {
  std::erase_if(wkt, [](unsigned char c) { return std::isspace(c) || c == '"'; });
  for (const std::string_view begin : {"ID[EPSG,", "AUTHORITY[EPSG,"}) {
    const auto at = wkt.rfind(begin);
    if (at == std::string::npos || !wkt.ends_with("]]")) continue;
    return code_of(wkt.substr(at + begin.size(), wkt.size() - 2 - at - begin.size()));
  }
  return {};
}

/// Whether the text is WKT 2: version 1 begins with PROJCS, GEOGCS ...
bool is_wkt2(const std::string& wkt) {
  constexpr std::array kKeywords{"PROJCRS[", "PROJECTEDCRS[",   "GEOGCRS[",       "GEOGRAPHICCRS[",
                                 "GEODCRS[", "GEODETICCRS[",    "BOUNDCRS[",      "COMPOUNDCRS[",
                                 "ENGCRS[",  "ENGINEERINGCRS[", "DERIVEDPROJCRS["};
  return std::ranges::any_of(kKeywords, [&](const char* keyword) { return wkt.starts_with(keyword); });
}

/// The attributes of the field's grid mapping, a scalar; nullptr if there is none. CF's longer form
/// "crs: x y crs_2: lat lon" names that of the axes first.
const Attributes* grid_mapping_of(const Schema& schema, const Field& field) {
  std::string name = text_in(field.attributes, "grid_mapping");
  name = name.substr(0, name.find_first_of(": "));
  const Scalar* scalar = schema.find_scalar(name);
  return scalar ? &scalar->attributes : nullptr;
}

void find_reference_system(const Attributes& mapping, GeoAttributes& found) {
  for (const char* name : {"crs_wkt", "spatial_ref"}) {
    const std::string wkt = text_in(mapping, name);
    if (found.code.empty()) found.code = code_in_wkt(wkt);
    if (found.wkt.empty() && is_wkt2(wkt)) found.wkt = wkt;
  }
  for (const char* name : {"epsg_code", "EPSG_code", "epsg", "EPSG", "spatial_epsg"}) {
    const auto attribute = mapping.find(name);
    if (!found.code.empty() || attribute == mapping.end()) continue;
    const std::vector<double> numbers = to_reals(numbers_of(attribute->second));
    const bool is_code = numbers.size() == 1 && numbers[0] > 0 && numbers[0] < 1e9;
    found.code = code_of(is_code ? std::to_string(static_cast<Index>(numbers[0])) : text_in(mapping, name));
  }
}

constexpr Convention kProj{"proj", "f17cb550-5864-4468-aeb7-f3180cfb622f", "v0.1",
                           "Coordinate reference system information for geospatial data"};
constexpr Convention kSpatial{"spatial", "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4", "v0.1",
                              "Spatial coordinate information"};

}  // namespace

GeoAttributes geo_attributes(const Schema& schema, const Field& field) {
  for (const auto& [name, value] : field.attributes) {
    if (is_geo_attribute(name)) return {};
  }
  const Attributes* mapping = grid_mapping_of(schema, field);
  const auto x = find_axis(schema, schema.grid_of(field), kX),
             y = find_axis(schema, schema.grid_of(field), kY);
  if (!mapping || !x || !y) return {};
  GeoAttributes found;
  find_reference_system(*mapping, found);
  if (found.code.empty() && found.wkt.empty()) return {};
  const Spacing &columns = x->spacing, &rows = y->spacing;
  found.dims = {y->dim, x->dim};
  found.shape = {rows.count, columns.count};
  found.transform = {columns.step, 0, columns.first_edge, 0, rows.step, rows.first_edge};
  const double last_x = columns.first_edge + columns.step * static_cast<double>(columns.count);
  const double last_y = rows.first_edge + rows.step * static_cast<double>(rows.count);
  found.bounding_box = {std::min(columns.first_edge, last_x), std::min(rows.first_edge, last_y),
                        std::max(columns.first_edge, last_x), std::max(rows.first_edge, last_y)};
  return found;
}

void print_geo_attributes(JsonWriter& json, const GeoAttributes& attributes) {
  if (attributes.dims.empty()) return;
  const auto reals = [&](const char* name, const auto& values) {
    json.key(name).reals(std::vector<double>(values.begin(), values.end()));
  };
  if (!attributes.code.empty()) json.key("proj:code").text(attributes.code);
  if (!attributes.wkt.empty()) json.key("proj:wkt2").text(attributes.wkt);
  reals("spatial:bbox", attributes.bounding_box);
  json.key("spatial:dimensions").texts(attributes.dims);
  json.key("spatial:registration").text("pixel");
  json.key("spatial:shape").numbers(std::vector<Index>(attributes.shape.begin(), attributes.shape.end()));
  reals("spatial:transform", attributes.transform);
  json.key(kConventionsAttribute).array([&] {
    print_convention(json, kProj);
    print_convention(json, kSpatial);
  });
}

bool is_geo_attribute(std::string_view name) { return std::ranges::find(kNames, name) != kNames.end(); }

}  // namespace esker::zarr
