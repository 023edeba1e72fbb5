// CDF files of whole runs, beyond what conformance_test.cc checks of all formats.
#include <gtest/gtest.h>

#include "formats/netcdf/cdf/cdf_file.h"
#include "support/columns.h"
#include "support/netcdf_runs.h"
#include "support/runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

RunPlan cdf_run(int n_ranks, const std::string& format = "cdf") {
  RunPlan run;
  run.n_ranks = n_ranks;
  run.path = "run.nc";
  run.options = {{"format", format}, {"report", "none"}};
  run.seed = static_cast<unsigned>(n_ranks);
  return run;
}

TEST(CdfWriter, FilesAreTheSameForAnyPattern) {
  const std::string expected = files_of(cdf_run(1)).at("run.nc");
  using Way = std::map<std::string, std::string>;
  const std::vector<Way> patterns{{{"pattern", "contiguous"}},
                                  {{"pattern", "slabs"}},
                                  {{"pattern", "slabs"}, {"aggregators", "2"}, {"transport", "messages"}},
                                  {{"pattern", "stripes"}, {"stripe_size", "4K"}},
                                  {{"stripe_size", "4K"}, {"stripe_count", "6"}},
                                  {{"stripe_size", "8K"}, {"stripe_count", "2"}, {"transport", "messages"}}};
  for (const int n_ranks : {1, 2, 4, 7}) {
    for (const Way& pattern : patterns) {
      RunPlan run = cdf_run(n_ranks);
      run.options.insert(pattern.begin(), pattern.end());
      SCOPED_TRACE(std::to_string(n_ranks) + " ranks, " + text_of(pattern));
      ASSERT_EQ(files_of(run).at("run.nc") == expected, true);
    }
  }
}

TEST(CdfWriter, ColumnsGiveTheFileOfRows) {
  using Way = std::map<std::string, std::string>;
  const std::string expected = file_of_columns(1, false, {{"format", "cdf5"}});
  for (const Way& way : {Way{}, Way{{"transport", "messages"}}, Way{{"pattern", "slabs"}}}) {
    for (const int n_ranks : {1, 4}) {
      Way options = way;
      options["format"] = "cdf5";
      SCOPED_TRACE(std::to_string(n_ranks) + " ranks, " + text_of(options));
      ASSERT_EQ(file_of_columns(n_ranks, true, options) == expected, true);
    }
  }
}

TEST(CdfWriter, StripesWithoutASizeAreRefused) {
  RunPlan run = cdf_run(2);
  run.options["pattern"] = "stripes";
  const Status status = write_all(memory_store(), run);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("set stripe_size"), std::string::npos) << status.message();
}

TEST(CdfWriter, ReplacesOnlyFilesOfEsker) {
  const auto store = memory_store();
  const auto file = store->open("run.nc", OpenMode::kWrite).value();
  const auto others = cdf::print_header({cdf::Version::kClassic, 0, {{"x", 3}}, {}, {}});
  file->write_at(others, 0).check();
  RunPlan run = cdf_run(2);
  run.overwrite = true;
  const Status status = write_all(store, run);
  EXPECT_EQ(status.code(), Code::kAlreadyExists) << status.message();
  EXPECT_NE(status.message().find("was not written by Esker"), std::string::npos) << status.message();
  EXPECT_EQ(static_cast<std::size_t>(file->size_bytes().value()), others.size());
}

TEST(CdfWriter, FillValuesHaveTheTypeOfTheirVariable) {
  Schema schema;
  const DimId x = schema.add_dim("x", 4).value();
  const GridId line = schema.add_grid("line", {x}).value();
  Field field{
      "thk", line.index, SampleType::kFloat32, 1, false, 1, {{"_FillValue", std::vector<double>{-9999}}}};
  schema.add_field(field).status().check();
  field.name = "mask";
  field.type = SampleType::kInt8;
  field.attributes["_FillValue"] = std::vector<Index>{-1};
  schema.add_field(field).status().check();
  const cdf::StoredSchema file = cdf::make_file(schema, {}).value();
  const auto attribute_of = [&](int number) {
    const auto variable = static_cast<std::size_t>(file.variable_of_field[static_cast<std::size_t>(number)]);
    return file.header.variables[variable].attributes.at(0);
  };
  EXPECT_EQ(attribute_of(0).type, cdf::Type::kFloat);
  EXPECT_EQ(attribute_of(0).values,
            (std::vector{std::byte{0xc6}, std::byte{0x1c}, std::byte{0x3c}, std::byte{0x00}}));
  EXPECT_EQ(attribute_of(1).type, cdf::Type::kByte);
  EXPECT_EQ(attribute_of(1).values, std::vector{std::byte{0xff}});
  field.name = "small";
  field.attributes["_FillValue"] = std::vector<Index>{-999};
  schema.add_field(field).status().check();
  EXPECT_EQ(cdf::make_file(schema, {}).status().code(), Code::kInvalidArgument);
}

TEST(CdfWriter, DimensionsOfComponentsAndTextsHaveFreeNames) {
  Schema schema;
  const DimId x = schema.add_dim("component_2", 4).value(), y = schema.add_dim("string5", 3).value();
  const GridId map = schema.add_grid("map", {x, y}).value();
  schema.add_dim("string5_", 2).value();
  for (const char* name : {"vel", "grad"}) {
    schema.add_field({name, map.index, SampleType::kFloat32, 2, false, 1, {}}).status().check();
  }
  schema.add_scalar({"site", std::string("Camp1"), {}}).status().check();
  const auto file = cdf::make_file(schema, {});
  ASSERT_TRUE(file.ok()) << file.status().message();
  std::vector<std::string> names;
  for (const cdf::Dimension& dim : file->header.dims) names.push_back(dim.name);
  EXPECT_EQ(names, (std::vector<std::string>{"time", "component_2", "string5", "string5_", "string5__",
                                             "component_2_"}));
}

TEST(CdfWriter, TakesTheSmallestVersionByDefault) {
  const auto version_of = [](SampleType type, Index size, std::optional<cdf::Version> asked) {
    Schema schema;
    const DimId x = schema.add_dim("x", size).value();
    const GridId line = schema.add_grid("line", {x}).value();
    schema.add_field({"thk", line.index, type, 1, false, 1, {}}).status().check();
    schema.add_field({"topg", line.index, type, 1, true, 1, {}}).status().check();
    const auto file = cdf::make_file(schema, {.version = asked});
    return file.ok() ? static_cast<int>(file->header.version) : 0;
  };
  EXPECT_EQ(version_of(SampleType::kFloat32, 4, std::nullopt), 1);
  EXPECT_EQ(version_of(SampleType::kFloat32, 4, cdf::Version::kData64), 5);
  EXPECT_EQ(version_of(SampleType::kUint32, 4, std::nullopt), 5);
  EXPECT_EQ(version_of(SampleType::kUint32, 4, cdf::Version::kOffset64), 0);
  EXPECT_EQ(version_of(SampleType::kFloat32, Index{1} << 29, std::nullopt), 2);
  EXPECT_EQ(version_of(SampleType::kFloat32, Index{1} << 30, std::nullopt), 5);
}

}  // namespace
}  // namespace esker
