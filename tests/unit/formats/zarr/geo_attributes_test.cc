// The attributes that place arrays of Zarr on a map.
#include "formats/zarr/geo_attributes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "formats/zarr/metadata.h"
#include "formats/zarr/model.h"

namespace esker::zarr {
namespace {

constexpr const char* kWkt2 =
    R"(PROJCRS["NSIDC North",BASEGEOGCRS["WGS 84",ID["EPSG",4326]],ID["EPSG", 3413]])";
constexpr const char* kWkt1 =
    R"(PROJCS["NSIDC North",GEOGCS["WGS 84",AUTHORITY["EPSG","4326"]],AUTHORITY["EPSG","3413"]])";
constexpr const char* kWktWithoutCode = R"(PROJCRS["mine",CONVERSION["a",METHOD["b",ID["EPSG",9829]]]])";

struct Grounds {
  std::vector<double> x{-100, 0, 100, 200}, y{1000, 800, 600};
  Attributes of_x{{"standard_name", std::string("projection_x_coordinate")}};
  Attributes of_y{{"standard_name", std::string("projection_y_coordinate")}};
  Attributes mapping{{"crs_wkt", std::string(kWkt2)}};
  Attributes field{{"grid_mapping", std::string("crs")}};
};

/// A field on x, y and z.
Schema schema_of(const Grounds& grounds) {
  Schema s;
  const DimId x = s.add_dim("east", std::ssize(grounds.x)).value();
  const DimId y = s.add_dim("north", std::ssize(grounds.y)).value();
  const DimId z = s.add_dim("z", 2).value();
  *s.attributes_of(x).value() = grounds.of_x;
  *s.attributes_of(y).value() = grounds.of_y;
  const GridId grid = s.add_grid("volume", {x, y, z}).value();
  s.set_coords(grid, "east", grounds.x).check();
  s.set_coords(grid, "north", grounds.y).check();
  s.add_scalar({"crs", std::vector<std::int32_t>{0}, grounds.mapping}).status().check();
  s.add_field({.name = "temp", .grid = grid.index, .attributes = grounds.field}).status().check();
  return s;
}

GeoAttributes attributes_of(const Grounds& grounds) {
  const Schema schema = schema_of(grounds);
  return geo_attributes(schema, schema.fields().front());
}

bool has_any(const Grounds& grounds) { return !attributes_of(grounds).dims.empty(); }

TEST(GeoAttributes, CoordinatesAreCentersOfCells) {
  const GeoAttributes found = attributes_of({});
  EXPECT_EQ(found.dims, (std::vector<std::string>{"north", "east"}));
  EXPECT_EQ(found.shape, (std::array<Index, 2>{3, 4}));
  EXPECT_EQ(found.transform, (std::array<double, 6>{100, 0, -150, 0, -200, 1100}));
  EXPECT_EQ(found.bounding_box, (std::array<double, 4>{-150, 500, 250, 1100}));
  EXPECT_EQ(found.code, "EPSG:3413");
  EXPECT_EQ(found.wkt, kWkt2);
}

TEST(GeoAttributes, ACoarserGridHasLargerCells) {
  Grounds coarse;
  coarse.x = {-100, 100};
  coarse.y = {1000, 600};
  EXPECT_EQ(attributes_of(coarse).transform, (std::array<double, 6>{200, 0, -200, 0, -400, 1200}));
}

TEST(GeoAttributes, FollowFromAxesOfAllKinds) {
  for (const char* units : {"degrees_east", "degree_E", "degreesE"}) {
    Grounds grounds;
    grounds.of_x = {{"units", std::string(units)}};
    EXPECT_TRUE(has_any(grounds)) << units;
  }
  Grounds grounds;
  grounds.of_x = {{"axis", std::string("X")}};
  grounds.of_y = {{"axis", std::string("Y")}, {"standard_name", std::string("whatever")}};
  EXPECT_TRUE(has_any(grounds));
  grounds.of_y = {{"axis", std::string("Z")}};
  EXPECT_FALSE(has_any(grounds));
  grounds.of_y = {{"units", std::string("degrees")}};
  EXPECT_FALSE(has_any(grounds));
  grounds.of_y = grounds.of_x;
  EXPECT_FALSE(has_any(grounds)) << "two axes are x";
}

TEST(GeoAttributes, CodesComeFromWktAndNumbers) {
  const auto code = [](const char* name, const AttributeValue& value) {
    Grounds grounds;
    grounds.mapping = {{name, value}};
    return attributes_of(grounds).code;
  };
  EXPECT_EQ(code("crs_wkt", std::string(kWkt2)), "EPSG:3413");
  EXPECT_EQ(code("spatial_ref", std::string(kWkt1)), "EPSG:3413");
  EXPECT_EQ(code("epsg_code", std::string("EPSG:3031")), "EPSG:3031");
  EXPECT_EQ(code("epsg_code", std::string("epsg:3031")), "EPSG:3031");
  EXPECT_EQ(code("EPSG_code", std::vector<std::int32_t>{3031}), "EPSG:3031");
  EXPECT_EQ(code("epsg_code", std::string("EPSG:what")), "");
  EXPECT_EQ(code("epsg_code", std::vector<double>{-1}), "");
  EXPECT_EQ(code("crs_wkt", std::string("")), "");
  EXPECT_EQ(code("crs_wkt", std::string("ID[\"EPSG\",]]")), "");
}

TEST(GeoAttributes, OnlyWkt2IsWkt2) {
  Grounds grounds;
  grounds.mapping = {{"crs_wkt", std::string(kWkt1)}};
  EXPECT_EQ(attributes_of(grounds).wkt, "");
  grounds.mapping = {{"crs_wkt", std::string(kWktWithoutCode)}};
  EXPECT_EQ(attributes_of(grounds).wkt, kWktWithoutCode);
  EXPECT_EQ(attributes_of(grounds).code, "") << "the code of a method";
}

TEST(GeoAttributes, NeedEvenCoordinatesAndAReferenceSystem) {
  EXPECT_TRUE(has_any({}));
  Grounds uneven;
  uneven.x[2] = 101;
  EXPECT_FALSE(has_any(uneven));
  uneven.x[2] = 100.05;  // as float32 may round
  EXPECT_TRUE(has_any(uneven));
  uneven.x[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(has_any(uneven));
  Grounds one;
  one.y = {5};
  EXPECT_FALSE(has_any(one));
  Grounds constant;
  constant.y = {5, 5, 5};
  EXPECT_FALSE(has_any(constant));
  Grounds unnamed;
  unnamed.mapping = {{"grid_mapping_name", std::string("polar_stereographic")}};
  EXPECT_FALSE(has_any(unnamed));
  Grounds unmapped;
  unmapped.field = {};
  EXPECT_FALSE(has_any(unmapped));
  unmapped.field = {{"grid_mapping", std::string("other")}};
  EXPECT_FALSE(has_any(unmapped));
  unmapped.field = {{"grid_mapping", std::string("crs: east north other: lon lat")}};
  EXPECT_TRUE(has_any(unmapped));
}

TEST(GeoAttributes, AreNotAddedToThoseOfAUser) {
  Grounds grounds;
  grounds.field["proj:code"] = std::string("EPSG:1");
  EXPECT_FALSE(has_any(grounds));
}

TEST(GeoAttributes, AreWrittenAndNotRead) {
  const Schema schema = schema_of({});
  Group group = describe_group(schema, {}).value().group;
  const std::string text = print_group(group);
  EXPECT_NE(text.find("\"spatial:transform\""), std::string::npos);
  Group parsed = parse_group(text).value();
  const auto is_geo = [](const netcdf::Attribute& one) { return is_geo_attribute(one.name); };
  for (const Array& array : parsed.arrays) EXPECT_TRUE(std::ranges::none_of(array.attributes, is_geo));
  // A writer that appends has the schema, and writes them again.
  EXPECT_EQ(print_group(find_in_group(schema, std::move(parsed)).value().group), text);
}

TEST(GeoAttributes, OfALevelAreThoseOfItsSamples) {
  Options options;
  options.levels = 1;
  const Group group = describe_group(schema_of({}), options).value().group;
  const GeoAttributes &fine = group.find("0/temp")->geo, &coarse = group.find("1/temp")->geo;
  EXPECT_EQ(coarse.dims, fine.dims);
  for (const std::size_t a : {0, 1}) EXPECT_EQ(coarse.shape[a], (fine.shape[a] + 1) / 2);
  for (const std::size_t step : {0, 4}) EXPECT_DOUBLE_EQ(coarse.transform[step], 2 * fine.transform[step]);
}

TEST(GeoAttributes, ThoseOfAUserAreRead) {
  Grounds grounds;
  grounds.field["spatial:note"] = std::string("mine");
  grounds.field["proj:code"] = std::string("EPSG:1");
  const Group group = parse_group(print_group(describe_group(schema_of(grounds), {}).value().group)).value();
  const auto& attributes = group.find("temp")->attributes;
  for (const char* name : {"spatial:note", "proj:code"}) {
    EXPECT_NE(std::ranges::find(attributes, name, &netcdf::Attribute::name), attributes.end()) << name;
  }
}

}  // namespace
}  // namespace esker::zarr
