// Outlines: a schema comes back from its outline and the file's dimensions and variables; a plain one is
// short.
#include "formats/netcdf/model/outline.h"

#include <gtest/gtest.h>

#include <random>

#include "format/schema_json.h"
#include "formats/netcdf/model/existing.h"
#include "formats/netcdf/model/stored_schema.h"

namespace esker::netcdf {
namespace {

using ::testing::Test;

Field field_on(const std::string& name, GridId grid) {
  return {.name = name, .grid = grid.index, .attributes = {}};
}

/// The values of a file that holds the schema.
ReadValues values_of(const Schema& schema, const Header& header) {
  return [&](int number, Index) -> Result<AttributeValue> {
    return schema.find_scalar(header.variables[static_cast<std::size_t>(number)].name)->value;
  };
}

std::string outline_text(const Header& header) { return *text_of(to_value(header.attributes.back())); }

/// The outline's text; the schema comes back from it.
std::string checked_outline(const Schema& schema) {
  const Header header = describe_file(schema).value().header;
  const auto again = outline_of(header, values_of(schema, header));
  EXPECT_EQ(again.ok() ? print_schema_outline(*again) : again.status().message(),
            print_schema_outline(schema));
  return outline_text(header);
}

Schema plain() {
  Schema schema;
  const DimId x = schema.add_dim("x", 301).value(), y = schema.add_dim("y", 561).value();
  const DimId z = schema.add_dim("z", 61).value();
  const GridId surface = schema.add_grid("surface", {x, y}).value(),
               ice = schema.add_grid("ice", {x, y, z}).value();
  schema.set_coords(ice, "x", std::vector<double>(301, 1.5)).check();
  for (const char* name : {"thk", "usurf", "velsurf_mag"}) schema.add_field(field_on(name, surface)).value();
  for (const char* name : {"temp", "enthalpy", "uvel"}) schema.add_field(field_on(name, ice)).value();
  schema.add_scalar({"mapping", std::string("polar_stereographic")}).value();
  return schema;
}

TEST(Outline, OfAPlainModelIsShort) {
  EXPECT_EQ(checked_outline(plain()),
            R"({"format":3,"grids":[{"surface":["x","y"]},{"ice":["x","y","z"]}]})");
}

TEST(Outline, SaysWhatVariablesDoNot) {
  Schema schema = plain();
  Field field = field_on("vel", {1});
  field.components = 3;
  field.every = 5;
  schema.add_field(field).value();
  field = field_on("topg", {0});
  field.fixed = true;
  schema.add_field(field).value();
  schema.add_grid("again", {DimId{0}, DimId{1}}).value();
  schema.add_field(field_on("flux", {2})).value();
  schema.set_default_compression("zip").check();
  EXPECT_EQ(
      checked_outline(schema),
      R"({"format":3,"grids":[{"surface":["x","y"]},{"ice":["x","y","z"]},{"again":["x","y"]}],"fixed_at":[7],)"
      R"("compression":"zip","fields":{"flux":{"grid":"again"},"vel":{"every":5}}})");
}

TEST(Outline, OfTextsPerStepIsShort) {
  Schema schema = plain();
  const DimId length = schema.add_dim("DateStrLen", 19).value();
  Field times = field_on("Times", schema.add_grid("texts", {length}).value());
  times.type = SampleType::kUint8;
  times.attributes["dtype"] = std::string("S1");
  schema.add_field(times).value();
  EXPECT_EQ(checked_outline(schema),
            R"({"format":3,"grids":[{"surface":["x","y"]},{"ice":["x","y","z"]},{"texts":["DateStrLen"]}]})");
}

TEST(Outline, IsCompleteWhereVariablesSayTooLittle) {
  Schema schema = plain();
  schema.add_dim("unused", 7).value();  // NetCDF-4 files are read without it
  EXPECT_EQ(checked_outline(schema), print_schema_outline(schema));
  schema = plain();
  schema.attributes_of(GridId{0}).value()->emplace("title", std::string("surface"));
  EXPECT_EQ(checked_outline(schema), print_schema_outline(schema));
  schema = plain();
  schema.add_scalar({"names", TextList({"a", "b"})}).value();
  EXPECT_EQ(checked_outline(schema), print_schema_outline(schema));
  schema = plain();
  schema.add_scalar({"large", std::vector<std::int64_t>{1}}).value();  // int in CDF-1
  EXPECT_EQ(checked_outline(schema), print_schema_outline(schema));
}

TEST(Outline, OfEarlierVersionsIsRead) {
  Header header = describe_file(plain()).value().header;
  const std::string earlier = print_schema_outline(plain());
  EXPECT_EQ(print_schema_outline(read_outline(earlier, header, no_values(header)).value()), earlier);
}

TEST(Outline, ThatDoesNotFitIsDataLoss) {
  const Header header = describe_file(plain()).value().header;
  for (
      const char* text :
      {"{}", R"({"format":3})", R"({"format":3,"grids":[{"surface":["x","y"]}]})",
       R"({"format":3,"grids":[7]})",
       R"({"format":3,"grids":[{"surface":["x","y"]},{"ice":["x","y","z"]}],"fixed_at":[1,2]})",
       R"({"format":3,"grids":[{"surface":["x","y"]},{"ice":["x","y","z"]}],"fields":{"thk":{"grid":"none"}}})",
       R"({"format":3,"grids":[{"surface":["x","y"]},{"ice":["x","y","z"]}],"fields":{"thk":{"every":0}}})"}) {
    EXPECT_EQ(read_outline(text, header, no_values(header)).status().code(), Code::kDataLoss) << text;
  }
  EXPECT_EQ(read_outline(R"({"format":4})", header, no_values(header)).status().code(), Code::kUnsupported);
}

TEST(Outline, OfAHugeTextNeedsNoMemory) {
  Header header = describe_file(plain()).value().header;
  header.dims.push_back({"n", Index{1} << 46});
  header.variables.push_back({"s", {static_cast<int>(header.dims.size()) - 1}, {}, Type::kChar, 0});
  std::vector<std::string> warnings;
  EXPECT_TRUE(is_of_esker(header, warnings));
}

/// Dimensions, grids on some of them, fields of all kinds in any order, scalars.
Schema random_schema(std::mt19937& random) {
  const auto one_of = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Schema schema;
  if (one_of(4) == 0)
    schema.set_time("t", one_of(2) == 0 ? SampleType::kInt32 : SampleType::kFloat64).check();
  std::vector<DimId> dims;
  for (const char* name : {"x", "y", "z"}) dims.push_back(schema.add_dim(name, 3 + one_of(2)).value());
  for (int g = 0; g < 1 + one_of(4); ++g) {
    std::shuffle(dims.begin(), dims.end(), random);
    const std::vector<DimId> some(dims.begin(), dims.begin() + one_of(4));
    schema.add_grid("grid" + std::to_string(g), some).value();
  }
  for (int f = 0; f < one_of(6); ++f) {
    Field field = field_on("f" + std::to_string(f), {one_of(static_cast<int>(schema.grids().size()))});
    field.fixed = one_of(3) == 0 && !schema.has_no_axes(schema.grid_of(field));
    field.every = field.fixed ? 1 : 1 + one_of(2);
    field.components = 1 + 2 * one_of(2);
    field.compression = one_of(3) == 0 ? "zip" : "none";
    schema.add_field(field).value();
  }
  if (one_of(2) == 0)
    schema.add_scalar({"text", std::string(static_cast<std::size_t>(1 + one_of(9)), 'a')}).value();
  if (one_of(2) == 0) schema.add_scalar({"number", std::vector<float>{2.5F}}).value();
  return schema;
}

TEST(Outline, GivesRandomSchemasBack) {
  std::mt19937 random(5);
  int num_short = 0;
  for (int n = 0; n < 400; ++n) {
    const Schema schema = random_schema(random);
    num_short += checked_outline(schema).find(R"("format":3)") == 1;
    if (Test::HasFailure()) FAIL() << print_schema_outline(schema);
  }
  EXPECT_GT(num_short, 80);
}

}  // namespace
}  // namespace esker::netcdf
