// CDF files of whole runs: the netCDF library reads every value, and their bytes do not depend on ranks.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <mutex>
#include <set>

#include "formats/netcdf/cdf/cdf_file.h"
#include "store/faulty_store.h"
#include "support/columns.h"
#include "support/netcdf_runs.h"
#include "support/runs.h"
#include "support/thread_comm.h"

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

TEST(CdfWriter, NetcdfReadsEveryValue) {
  const RunPlan run = cdf_run(3);
  const auto files = files_of(run);
  ASSERT_EQ(files.size(), 1u);
  const NetcdfFile file(files.at("run.nc"));
  int format = 0;
  nc(nc_inq_format(file.id(), &format));
  EXPECT_EQ(format, NC_FORMAT_64BIT_DATA) << "mask is an unsigned byte";
  expect_values(file, schema_of(run), run.end_step);
  EXPECT_EQ(file.values("time", 2, false, 1), std::vector<double>{time_of(2)});
}

TEST(CdfWriter, AStepIsReportedAsOneFile) {
  const RunPlan run = cdf_run(2);
  const auto store = memory_store();
  run_ranks(2, [&](const Communicator& comm) {
    const auto pipeline = open_run(comm, store, run).value();
    write_step(*pipeline, comm, run, 0).check();
    EXPECT_EQ(pipeline->steps().at(0).files, 1);
    pipeline->close({}).check();
  });
}

TEST(CdfWriter, FilesAreTheSameForAnyNumberOfRanksAndTransport) {
  const std::string expected = files_of(cdf_run(1)).at("run.nc");
  for (const int n_ranks : {1, 2, 4, 7}) {
    for (const auto& way : ways_to_move(n_ranks)) {
      RunPlan run = cdf_run(n_ranks);
      run.new_boxes_each_step = true;
      run.options.insert(way.begin(), way.end());
      SCOPED_TRACE(std::to_string(n_ranks) + " ranks, " + text_of(way));
      const auto files = files_of(run);
      ASSERT_EQ(files.at("run.nc") == expected, true);
    }
  }
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

TEST(CdfWriter, SeveralRunsGiveTheFileOfOneRun) {
  RunPlan whole = cdf_run(1);
  whole.end_step = 4;
  const std::string expected = files_of(whole).at("run.nc");
  const auto store = memory_store();
  for (Index step = 0; step < 4; ++step) {
    RunPlan run = cdf_run(static_cast<int>(4 - step));
    run.first_step = step;
    run.end_step = step + 1;
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  ASSERT_EQ(all_files(*store, ".").at("run.nc") == expected, true);
  RunPlan again = cdf_run(2);  // rewinds to step 1
  again.first_step = 2;
  again.end_step = 4;
  ASSERT_TRUE(write_all(store, again).ok());
  ASSERT_EQ(all_files(*store, ".").at("run.nc") == expected, true);
}

// Bytes that a killed run left after the committed steps are cut off before the next step.
TEST(CdfWriter, LeftoversAreCutOff) {
  RunPlan run = cdf_run(2);
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const std::string expected = all_files(*store, ".").at("run.nc");
  const auto file = store->open("run.nc", OpenMode::kWrite).value();
  const std::string garbage(100000, 'g');
  file->write_at(std::as_bytes(std::span(garbage)), static_cast<Index>(expected.size())).check();
  run.first_step = run.end_step;
  run.end_step = run.first_step + 1;
  ASSERT_TRUE(write_all(store, run).ok());
  RunPlan whole = cdf_run(1);
  whole.end_step = run.end_step;
  ASSERT_EQ(all_files(*store, ".").at("run.nc") == files_of(whole).at("run.nc"), true);
}

// The file before any call to the file system is what a kill there leaves. It opens, holds the committed
// steps, and continuing the run gives the file of one run.
TEST(CdfWriter, AKillAtAnyCallLeavesTheCommittedStepsAndARunCanContinue) {
  const RunPlan run = cdf_run(2);
  const std::string expected = files_of(run).at("run.nc");
  const auto store = memory_store();
  std::mutex mutex;
  std::set<std::string> snapshots;  // of the file
  const auto look = [&](StoreCall, const std::string&) {
    const std::scoped_lock lock(mutex);
    const auto files = all_files(*store, ".");
    if (files.contains("run.nc")) snapshots.insert(files.at("run.nc"));
    return 0;
  };
  ASSERT_TRUE(write_all([&](int) { return faulty_store(store, look); }, run).ok());
  ASSERT_GT(snapshots.size(), 20u);
  std::set<Index> seen;
  for (const std::string& snapshot : snapshots) {
    const Index n_steps = committed_steps(snapshot);
    seen.insert(n_steps);
    expect_values(NetcdfFile(snapshot), schema_of(run), n_steps);
    const auto rest = memory_store();
    const auto file = rest->open("run.nc", OpenMode::kWrite).value();
    file->write_at(std::as_bytes(std::span(snapshot)), 0).check();
    RunPlan next = cdf_run(3);
    next.first_step = n_steps;
    next.overwrite = n_steps == 0;
    const Status status = write_all(rest, next);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(all_files(*rest, ".").at("run.nc") == expected, true) << n_steps;
  }
  EXPECT_EQ(seen, (std::set<Index>{0, 1, 2, 3}));
}

TEST(CdfWriter, AfterAnyFailureTheFileHoldsTheCommittedStepsAndARunCanContinue) {
  RunPlan whole = cdf_run(1);
  whole.end_step = 4;
  whole.fsync = Fsync::kStep;
  const std::string expected = files_of(whole).at("run.nc");
  RunPlan run = cdf_run(1);
  run.fsync = Fsync::kStep;
  for (const int n_faults : {1, 2, 4}) {
    auto store = memory_store();
    const int n_attempts = n_faults == 4 ? 3 : 1;
    for (int first = 1; run_with_faults(store, run, first, n_faults, n_attempts); ++first) {
      SCOPED_TRACE(std::to_string(n_faults) + " from call " + std::to_string(first));
      const auto files = all_files(*store, ".");
      RunPlan next = cdf_run(2);
      next.end_step = 4;
      if (files.contains("run.nc")) {
        next.first_step = committed_steps(files.at("run.nc"));
        next.overwrite = next.first_step == 0;
        expect_values(NetcdfFile(files.at("run.nc")), schema_of(run), next.first_step);
      }
      const Status status = write_all(store, next);
      ASSERT_TRUE(status.ok()) << status.message();
      const auto after = all_files(*store, ".");
      ASSERT_EQ(after.size(), 1u);
      ASSERT_EQ(after.at("run.nc") == expected, true);
      store = memory_store();
    }
  }
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
