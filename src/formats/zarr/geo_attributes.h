// Where an array is on a map, for GDAL and QGIS: attributes of the conventions `spatial` and `proj` of Zarr.
//
// They follow from coordinates and grid mappings as CF has them, and are no attributes of the schema: readers
// skip them, and a schema with coarser coordinates has coarser ones. Pure.
// Source: github.com/zarr-conventions/spatial and /proj, v0.1.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/schema.hpp"
#include "format/json_writer.h"
#include "formats/zarr/conventions.h"

namespace esker::zarr {

struct GeoAttributes {
  std::vector<std::string> dims = {};  ///< of y and of x; empty: there are no such attributes
  std::array<Index, 2> shape{};        ///< along y and along x
  std::array<double, 6> transform{};   ///< column and row to x and y; (0, 0) is the corner of the first cell
  std::array<double, 4> bounding_box{};  ///< least x, least y, largest x, largest y, with whole cells
  std::string code = {};                 ///< of the coordinate reference system, for example EPSG:3413
  std::string wkt = {};                  ///< the same as WKT 2; at least one of both is set
};

/// The attributes of a field with two axes of evenly spaced coordinates, x and y, and a grid mapping with a
/// code or WKT; else none. None, too, if the field has an attribute with the name of one of them.
GeoAttributes geo_attributes(const Schema& schema, const Field& field);

/// Writes them as members of the attributes of an array.
void print_geo_attributes(JsonWriter& json, const GeoAttributes& attributes);
/// Whether an array's attribute is one of those that print_geo_attributes() writes.
bool is_geo_attribute(std::string_view name);

}  // namespace esker::zarr
