// How the fields of a dataset are divided among NetCDF-4 files.
#include "formats/netcdf/hdf5/parts.h"

#include <gtest/gtest.h>

#include <set>

#include "support/scenario.h"

namespace esker::hdf5 {
namespace {

using namespace testing_support;  // NOLINT: schemas

TEST(Parts, BoxesOfAnyNumberOfPartitionsCoverTheGridOnce) {
  const Schema schema = mixed_schema();
  for (Index n = 1; n <= 16; ++n) {
    const Parts parts = Parts::choose(schema, n, "run.nc.parts").value();
    ASSERT_EQ(parts.num_partitions(), n);
    ASSERT_EQ(parts.num_files(), n + 1) << "fields of the plane are in a further file";
    std::set<Point> seen;
    for (Index part = 0; part < n; ++part) {
      const Box box = parts.boxes().box(part);
      ASSERT_FALSE(box.empty());
      for_each_point(box, [&](const Point& p) { ASSERT_TRUE(seen.insert(p).second); });
    }
    ASSERT_EQ(seen.size(), 15u * 33 * 17);
  }
}

TEST(Parts, TextGivesTheSameParts) {
  const Schema schema = mixed_schema();
  const Parts parts = Parts::choose(schema, 6, "run.nc.parts").value();
  const Parts parsed = Parts::parse(schema, parts.print()).value();
  ASSERT_EQ(parsed.num_files(), parts.num_files());
  std::set<std::string> notes;
  for (int file = 0; file < parts.num_files(); ++file) {
    EXPECT_EQ(parsed.note_of(file), parts.note_of(file));
    EXPECT_TRUE(notes.insert(parts.note_of(file)).second);
    EXPECT_TRUE(parsed.check(file, parts.schema_of(file).value()).ok());
    const Status other = parsed.check(file, parts.schema_of((file + 1) % parts.num_files()).value());
    EXPECT_EQ(other.code(), Code::kDataLoss);
  }
  const Parts of_others = Parts::choose(schema, 7, "run.nc.parts").value();
  EXPECT_EQ(parts.check(2, of_others.schema_of(2).value()).code(), Code::kDataLoss);
}

TEST(Parts, DamagedTextsAreErrors) {
  const Schema schema = mixed_schema();
  for (const char* text :
       {"", "{}", "[1]",
        R"({"format":1,"directory":"run.nc.parts","grid":"none","cuts":[[0,15],[0,33],[0,17]]})",
        R"({"format":1,"directory":"run.nc.parts","grid":"xyz","cuts":[[0,15],[0,33]]})",
        R"({"format":1,"directory":"run.nc.parts","grid":"xyz","cuts":[[0,15],[0,33],[0,18]]})",
        R"({"format":1,"directory":"run.nc.parts","grid":"xyz","cuts":[[0,9,9,15],[0,33],[0,17]]})",
        R"({"format":1,"directory":"run.nc.parts","grid":"xyz","cuts":[[0,9,3,15],[0,33],[0,17]]})",
        R"({"format":1,"directory":"run.nc.parts","grid":"xyz","cuts":[[],[0,33],[0,17]]})",
        R"({"format":1,"directory":"run.nc.parts","grid":"xyz","cuts":[0,33,17]})"}) {
    EXPECT_EQ(Parts::parse(schema, text).status().code(), Code::kDataLoss) << text;
  }
  for (const char* directory : {"", "..", "/tmp", "a/b", ".hidden"}) {
    const std::string text = std::string(R"({"format":1,"directory":")") + directory +
                             R"(","grid":"xyz","cuts":[[0,15],[0,33],[0,17]]})";
    EXPECT_EQ(Parts::parse(schema, text).status().code(), Code::kDataLoss) << text;
  }
  const auto newer =
      Parts::parse(schema, R"({"format":2,"directory":"a","grid":"xyz","cuts":[[0,15],[0,33],[0,17]]})");
  EXPECT_EQ(newer.status().code(), Code::kUnsupported);
}

TEST(Parts, CoordinatesAreThoseOfTheBox) {
  Schema schema;
  const DimId x = schema.add_dim("x", 10).value(), y = schema.add_dim("y", 4).value();
  const GridId grid = schema.add_grid("xy", {x, y}).value();
  std::vector<float> xs;
  for (int i = 0; i < 10; ++i) xs.push_back(static_cast<float>(i) / 2);
  schema.set_coords(grid, "x", Numbers(xs)).check();
  schema.add_field({"thk", 0, SampleType::kFloat32, 1, false, 1, {}}).status().check();
  const Parts parts = Parts::choose(schema, 2, "run.nc.parts").value();
  EXPECT_EQ(parts.num_files(), 2);
  const Schema second = parts.schema_of(1).value();
  EXPECT_EQ(second.find_dim("x")->size, 5);
  EXPECT_EQ(second.find_dim("y")->size, 4);
  EXPECT_EQ(second.grids()[0].typed_coords.at("x"), Numbers(std::vector<float>(xs.begin() + 5, xs.end())));
}

TEST(Parts, WhatCannotBeDividedIsAnError) {
  const auto refusal = [](const Schema& schema, Index n) {
    return Parts::choose(schema, n, "run.nc.parts").status();
  };
  EXPECT_EQ(refusal(mixed_schema(), 15 * 33 * 17 + 1).code(), Code::kInvalidArgument);
  EXPECT_EQ(refusal(mixed_schema(), Index{1} << 40).code(), Code::kInvalidArgument);
  EXPECT_EQ(refusal(mesh_schema(), 2).code(), Code::kUnsupported);
  Schema series;
  const GridId none = series.add_grid("series", {}).value();
  series.add_field({"mean", none.index, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  EXPECT_EQ(refusal(series, 2).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace esker::hdf5
