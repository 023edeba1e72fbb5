#include "esker/types/schema.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace esker {
namespace {

struct Sample {
  Schema schema;
  DimId x = schema.add_dim("x", 301).value();
  DimId y = schema.add_dim("y", 561).value();
  GridId grid = schema.add_grid("map", {x, y}).value();
};

TEST(Schema, BuiltCallByCall) {
  Sample s;
  const FieldId thk = s.schema.add_field({.name = "thk", .grid = s.grid.index, .attributes = {}}).value();
  EXPECT_EQ(thk.index, 0);
  EXPECT_EQ(s.schema.box_of(s.schema.grids()[0]), (Box{{0, 0}, {301, 561}}));
  EXPECT_EQ(s.schema.rank_of(s.schema.grids()[0]), 2);
  ASSERT_NE(s.schema.find_field("thk"), nullptr);
  EXPECT_EQ(s.schema.find_field("thk")->sample_bytes(), 4);
  EXPECT_EQ(s.schema.find_field("nothing"), nullptr);
}

TEST(Schema, FindsByName) {
  Sample s;
  EXPECT_EQ(s.schema.find_dim("y"), &s.schema.dims()[1]);
  EXPECT_EQ(s.schema.find_grid("map"), s.schema.grids().data());
  EXPECT_EQ(s.schema.find_dim("map"), nullptr);
  const Schema copy = s.schema;
  EXPECT_EQ(copy.find_dim("y"), &copy.dims()[1]);
}

TEST(Schema, Names) {
  Schema s;
  for (const std::string& bad : {std::string(), std::string("a b"), std::string("a/b"), std::string(".."),
                                 std::string("\xc3\xa9"), std::string(129, 'x'), std::string("a\0", 2)}) {
    EXPECT_EQ(s.add_dim(bad, 1).status().code(), Code::kInvalidArgument) << bad;
  }
  for (const std::string& good : {std::string("x"), std::string("a.b-c_D9"), std::string(128, 'x')}) {
    EXPECT_TRUE(s.add_dim(good, 1).ok()) << good;
  }
  EXPECT_EQ(s.add_dim("x", 1).status().code(), Code::kAlreadyExists);
  EXPECT_TRUE(s.add_grid("x", {DimId{0}}).ok());  // unique among its kind only
  EXPECT_EQ(s.add_grid("x", {DimId{0}}).status().code(), Code::kAlreadyExists);
}

TEST(Schema, Dimensions) {
  Schema s;
  EXPECT_EQ(s.add_dim("x", 0).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(s.add_dim("x", -1).status().code(), Code::kInvalidArgument);
}

TEST(Schema, GridsHave5DimensionsAtMostNoneTwice) {
  Sample s;
  std::vector<DimId> dims;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) dims.push_back(s.schema.add_dim(name, 2).value());
  EXPECT_EQ(s.schema.add_grid("g", dims).status().code(), Code::kInvalidArgument);
  dims.pop_back();
  EXPECT_TRUE(s.schema.add_grid("g", dims).ok());
  EXPECT_EQ(s.schema.add_grid("h", {s.x, s.x}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(s.schema.add_grid("h", {DimId{}}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(s.schema.add_grid("h", {DimId{99}}).status().code(), Code::kInvalidArgument);
}

TEST(Schema, AGridWithoutDimensionsHasAnImplicitOne) {
  Sample s;
  const GridId a = s.schema.add_grid("a", {}).value(), b = s.schema.add_grid("b", {}).value();
  const auto grid = [&](GridId id) { return s.schema.grids()[static_cast<std::size_t>(id.index)]; };
  EXPECT_EQ(grid(a).dims, grid(b).dims);
  EXPECT_TRUE(s.schema.has_no_axes(grid(a)));
  EXPECT_FALSE(s.schema.has_no_axes(grid(s.grid)));
  EXPECT_EQ(s.schema.box_of(grid(a)).num_samples(), 1);
  EXPECT_TRUE(s.schema.add_field({.name = "dt", .grid = a.index, .attributes = {}}).ok());
  EXPECT_EQ(
      s.schema.add_field({.name = "c", .grid = a.index, .fixed = true, .attributes = {}}).status().code(),
      Code::kInvalidArgument)
      << "a scalar";
}

TEST(Schema, ScalarsAreOneNumberOrAText) {
  Sample s;
  const auto code = [&](Scalar scalar) { return s.schema.add_scalar(std::move(scalar)).status().code(); };
  EXPECT_EQ(code({"crs", std::vector<std::int32_t>{0}, {}}), Code::kOk);
  EXPECT_EQ(code({"crs", std::vector<std::int32_t>{0}, {}}), Code::kAlreadyExists);
  EXPECT_EQ(code({"site", std::string("camp"), {}}), Code::kOk);
  EXPECT_EQ(code({"two", std::vector<double>{1, 2}, {}}), Code::kInvalidArgument);
  EXPECT_EQ(code({"none", std::vector<double>{}, {}}), Code::kInvalidArgument);
  EXPECT_EQ(s.schema.add_field({.name = "crs", .attributes = {}}).status().code(), Code::kAlreadyExists);
  s.schema.attributes_of(ScalarId{0}).value()->emplace("name", std::string("stereo"));
  EXPECT_EQ(s.schema.find_scalar("crs")->attributes.size(), 1u);
  EXPECT_FALSE(s.schema.attributes_of(ScalarId{2}).ok());
}

TEST(Schema, NumbersOfAnotherTypeAreTheSameNumbers) {
  const auto values = [](const Numbers& numbers, SampleType type) {
    const auto typed = to_type(numbers, type);
    return typed.ok() ? to_reals(*typed) : std::vector<double>();
  };
  EXPECT_EQ(values(std::vector<double>{-128, 127}, SampleType::kInt8), (std::vector<double>{-128, 127}));
  EXPECT_EQ(values(std::vector<double>{128}, SampleType::kInt8), std::vector<double>());
  EXPECT_EQ(values(std::vector<double>{0.5}, SampleType::kInt64), std::vector<double>());
  EXPECT_EQ(values(std::vector<double>{0x1p63}, SampleType::kInt64), std::vector<double>());
  EXPECT_EQ(values(std::vector<double>{0x1p63}, SampleType::kUint64), std::vector<double>{0x1p63});
  EXPECT_EQ(values(std::vector<std::int64_t>{(Index{1} << 53) + 1}, SampleType::kFloat64),
            std::vector<double>());
  EXPECT_EQ(values(std::vector<std::int8_t>{-1}, SampleType::kUint8), std::vector<double>());
  EXPECT_EQ(values(std::vector<double>{0.1}, SampleType::kFloat32), std::vector<double>{0.1f});
  EXPECT_EQ(values(std::vector<double>{1e300}, SampleType::kFloat32), std::vector<double>());
}

TEST(Schema, SizesFit64Bits) {
  Schema s;
  const DimId a = s.add_dim("a", Index{1} << 40).value(), b = s.add_dim("b", Index{1} << 40).value();
  EXPECT_EQ(s.add_grid("ab", {a, b}).status().code(), Code::kInvalidArgument);
  const DimId c = s.add_dim("c", Index{1} << 22).value();
  const GridId ac = s.add_grid("ac", {a, c}).value();
  EXPECT_EQ(s.add_field({.name = "v", .grid = ac.index, .attributes = {}}).status().code(),
            Code::kInvalidArgument);
  EXPECT_TRUE(s.add_field({.name = "v", .grid = ac.index, .type = SampleType::kInt8, .attributes = {}}).ok());
}

TEST(Schema, Fields) {
  Sample s;
  const auto code = [&](Field f) { return s.schema.add_field(std::move(f)).status().code(); };
  EXPECT_EQ(code({.name = "v", .grid = 1, .attributes = {}}), Code::kInvalidArgument);
  EXPECT_EQ(code({.name = "v", .grid = -1, .attributes = {}}), Code::kInvalidArgument);
  EXPECT_EQ(code({.name = "v", .components = 0, .attributes = {}}), Code::kInvalidArgument);
  EXPECT_EQ(code({.name = "v", .every = 0, .attributes = {}}), Code::kInvalidArgument);
  EXPECT_EQ(code({.name = "v", .type = static_cast<SampleType>(77), .attributes = {}}),
            Code::kInvalidArgument);
  EXPECT_TRUE(s.schema.fields().empty());
  EXPECT_EQ(code({.name = "v", .attributes = {}}), Code::kOk);
  EXPECT_EQ(code({.name = "v", .attributes = {}}), Code::kAlreadyExists);
}

TEST(Schema, Coordinates) {
  Sample s;
  EXPECT_TRUE(s.schema.set_coords(s.grid, "x", std::vector<double>(301)).ok());
  EXPECT_EQ(s.schema.grids()[0].coords.at("x").size(), 301u);
  EXPECT_EQ(s.schema.set_coords(s.grid, "x", std::vector<double>(300)).code(), Code::kInvalidArgument);
  EXPECT_EQ(s.schema.set_coords(s.grid, "z", std::vector<double>()).code(), Code::kInvalidArgument);
  EXPECT_EQ(s.schema.set_coords(GridId{}, "x", std::vector<double>()).code(), Code::kInvalidArgument);
}

TEST(Schema, AttributesNeedAnExistingObject) {
  Sample s;
  s.schema.attributes_of(s.grid).value()->emplace("units", std::string("m"));
  EXPECT_EQ(s.schema.grids()[0].attributes.size(), 1u);
  EXPECT_FALSE(s.schema.attributes_of(GridId{}).ok());
  EXPECT_FALSE(s.schema.attributes_of(FieldId{0}).ok());
}

TEST(Schema, ValidAttributes) {
  EXPECT_TRUE(check_attribute("units", std::string("m s-1")).ok());
  EXPECT_TRUE(
      check_attribute("_FillValue", std::vector<double>{std::numeric_limits<double>::quiet_NaN()}).ok());
  EXPECT_TRUE(check_attribute("empty", std::string()).ok());
  EXPECT_FALSE(check_attribute("", std::string("m")).ok());
  EXPECT_FALSE(check_attribute(std::string(257, 'a'), std::string("m")).ok());
  EXPECT_FALSE(check_attribute("latin1", std::string("\xe9")).ok());
  EXPECT_FALSE(check_attribute("nul", std::string("a\0b", 3)).ok());
  EXPECT_FALSE(check_attribute("none", std::vector<Index>{}).ok());
  EXPECT_FALSE(check_attribute("none", std::vector<double>{}).ok());
}

}  // namespace
}  // namespace esker
