// CDF files as datasets: ours at every level, and those that the netCDF library wrote.
#include "formats/netcdf/cdf/cdf_dataset.h"

#include <gtest/gtest.h>
#include <netcdf.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "esker/dataset.hpp"
#include "formats/registry/open_dataset.h"
#include "formats/registry/verify.h"
#include "support/netcdf_runs.h"
#include "support/runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

RunPlan dataset_run(const std::string& format = "cdf") {
  RunPlan run;
  run.path = "run.nc";
  run.options = {{"format", format}, {"report", "none"}};
  run.checksums = false;
  return run;
}

/// A file that the netCDF library writes, opened by Esker.
class ForeignFile : public testing::Test {
 protected:
  ForeignFile()
      : path_((std::filesystem::temp_directory_path() / ("esker-foreign-" + std::to_string(getpid()) + ".nc"))
                  .string()) {}
  ~ForeignFile() override { std::filesystem::remove(path_); }

  void create(int mode = 0) { nc(nc_create(path_.c_str(), NC_CLOBBER | mode, &id_)); }
  int dim(const char* name, std::size_t length) {
    int number = -1;
    nc(nc_def_dim(id_, name, length, &number));
    return number;
  }
  int variable(const char* name, nc_type type, const std::vector<int>& dims) {
    int number = -1;
    nc(nc_def_var(id_, name, type, static_cast<int>(dims.size()), dims.data(), &number));
    return number;
  }
  void close() { nc(nc_close(id_)); }

  std::string path_;
  int id_ = -1;
};

TEST_F(ForeignFile, VariablesAreFieldsAndRecordsAreSteps) {
  create();
  const int time = dim("t", NC_UNLIMITED), y = dim("lat", 3), x = dim("lon", 4), n = dim("name length", 5);
  const int lon = variable("lon", NC_FLOAT, {x}), times = variable("t", NC_INT, {time});
  const int temperature = variable("sea temperature", NC_SHORT, {time, y, x});
  const int depth = variable("depth", NC_DOUBLE, {y, x});
  variable("crs", NC_INT, {});
  variable("title", NC_CHAR, {n});
  nc(nc_put_att_text(id_, temperature, "units", 4, "degC"));
  nc(nc_put_att_text(id_, NC_GLOBAL, "institution", 2, "me"));
  nc(nc_enddef(id_));
  std::vector<float> longitudes{10, 20, 30, 40};
  nc(nc_put_var_float(id_, lon, longitudes.data()));
  std::vector<double> depths(12);
  std::iota(depths.begin(), depths.end(), 0.5);
  nc(nc_put_var_double(id_, depth, depths.data()));
  for (std::size_t step = 0; step < 3; ++step) {
    std::vector<short> values(12);
    std::iota(values.begin(), values.end(), static_cast<short>(100 * step));
    const std::size_t start[] = {step, 0, 0}, count[] = {1, 3, 4};
    nc(nc_put_vara_short(id_, temperature, start, count, values.data()));
    const int number = static_cast<int>(7 * step);
    nc(nc_put_var1_int(id_, times, start, &number));
  }
  close();

  const auto dataset = Dataset::open(path_).value();
  EXPECT_EQ(dataset.steps(), (std::vector<double>{0, 7, 14}));
  ASSERT_EQ(dataset.schema().fields().size(), 2u);
  const Field* field = dataset.schema().find_field("sea_temperature");
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->type, SampleType::kInt16);
  EXPECT_FALSE(field->fixed);
  EXPECT_EQ(std::get<std::string>(field->attributes.at("units")), "degC");
  EXPECT_TRUE(dataset.schema().find_field("depth")->fixed);
  const Grid& grid = dataset.schema().grid_of(*field);
  EXPECT_EQ(grid.name, "lat_lon");
  EXPECT_EQ(grid.coords.at("lon"), (std::vector<double>{10, 20, 30, 40}));
  EXPECT_FALSE(grid.coords.contains("lat"));
  EXPECT_EQ(std::get<std::string>(dataset.schema().attributes().at("institution")), "me");
  EXPECT_EQ(dataset.warnings(),
            std::vector<std::string>{"variable 'sea temperature' is renamed to 'sea_temperature'"});
  ASSERT_EQ(dataset.schema().scalars().size(), 2u);
  EXPECT_EQ(numbers_of(dataset.schema().find_scalar("crs")->value).index(),
            static_cast<std::size_t>(SampleType::kInt32));
  EXPECT_NE(text_of(dataset.schema().find_scalar("title")->value), nullptr);
  EXPECT_EQ(dataset.schema().time_name(), "t");
  EXPECT_EQ(dataset.schema().time_type(), SampleType::kInt32);
  EXPECT_EQ(grid.typed_coords.at("lon").index(), static_cast<std::size_t>(SampleType::kFloat32));
  std::vector<short> values(4);
  dataset.read({.field = "sea_temperature", .step = -1, .box = Box({0, 1}, {4, 2})}, values.data(), 8)
      .check();
  EXPECT_EQ(values, (std::vector<short>{204, 205, 206, 207}));
  std::vector<double> corner(1);
  dataset.read({.field = "depth", .box = Box({3, 2}, {4, 3})}, corner.data(), 8).check();
  EXPECT_EQ(corner[0], 11.5);
}

TEST_F(ForeignFile, AFileWithoutRecordsHasFixedFields) {
  create(NC_64BIT_DATA);
  const int x = dim("x", 3);
  const int variable_ = variable("v", NC_UINT64, {x});
  nc(nc_enddef(id_));
  const unsigned long long values[] = {1, 2, ~0ULL};
  nc(nc_put_var_ulonglong(id_, variable_, values));
  close();
  const auto dataset = Dataset::open(path_).value();
  EXPECT_TRUE(dataset.steps().empty());
  std::vector<std::uint64_t> read(3);
  dataset.read({.field = "v"}, read.data(), 24).check();
  EXPECT_EQ(read, (std::vector<std::uint64_t>{1, 2, ~std::uint64_t{0}}));
  EXPECT_EQ(verify_dataset(posix_store(), path_).value().findings.size(), 0u);
}

TEST_F(ForeignFile, ConvertedNamesAreUnique) {
  create();
  const int x = dim("x", 1);
  const int spaced = variable("a b", NC_INT, {x}), exact = variable("a_b", NC_INT, {x});
  nc(nc_enddef(id_));
  const int one = 1, two = 2;
  nc(nc_put_var_int(id_, spaced, &one));
  nc(nc_put_var_int(id_, exact, &two));
  close();
  const auto dataset = Dataset::open(path_).value();
  int read = 0;
  dataset.read({.field = "a_b"}, &read, 4).check();
  EXPECT_EQ(read, 2);
  dataset.read({.field = "a_b_2"}, &read, 4).check();
  EXPECT_EQ(read, 1);
  ASSERT_EQ(dataset.warnings().size(), 1U);
  EXPECT_EQ(dataset.warnings()[0], "variable 'a b' is renamed to 'a_b_2'");
}

TEST_F(ForeignFile, RecordsWithoutTimesAreNumbered) {
  create();
  const int record = dim("record", NC_UNLIMITED), x = dim("x", 2);
  const int v = variable("v", NC_BYTE, {record, x});
  nc(nc_enddef(id_));
  for (std::size_t step = 0; step < 5; ++step) {
    const std::size_t start[] = {step, 0}, count[] = {1, 2};
    const signed char values[] = {static_cast<signed char>(step), -1};
    nc(nc_put_vara_schar(id_, v, start, count, values));
  }
  close();
  const auto dataset = Dataset::open(path_).value();
  EXPECT_EQ(dataset.steps(), (std::vector<double>{0, 1, 2, 3, 4}));
  for (Index step = 0; step < 5; ++step) {
    std::int8_t value = -1;
    dataset.read({.field = "v", .step = step, .box = Box({0}, {1})}, &value, 1).check();
    EXPECT_EQ(value, step) << "records of a lone variable are not padded";
  }
}

// Tools that extract variables from a file copy all global attributes.
TEST_F(ForeignFile, IgnoresASchemaOfOtherVariables) {
  const auto store = memory_store();
  RunPlan run = dataset_run();
  ASSERT_TRUE(write_all(store, run).ok());
  const auto header = cdf::read_header(*store->open("run.nc", OpenMode::kRead).value()).value();
  std::string outline;
  for (const cdf::Attribute& attribute : header.attributes) {
    if (attribute.name != netcdf::kSchemaAttribute) continue;
    outline.assign(reinterpret_cast<const char*>(attribute.values.data()), attribute.values.size());
  }
  ASSERT_FALSE(outline.empty());
  create();
  const int x = dim("x", 2);
  variable("v", NC_FLOAT, {x});
  nc(nc_put_att_text(id_, NC_GLOBAL, netcdf::kSchemaAttribute, outline.size(), outline.data()));
  close();
  const auto dataset = Dataset::open(path_).value();
  ASSERT_EQ(dataset.warnings().size(), 1u);
  EXPECT_NE(dataset.warnings()[0].find("is not used"), std::string::npos) << dataset.warnings()[0];
  EXPECT_NE(dataset.schema().find_field("v"), nullptr);
}

/// A file with this header, then zeros.
std::shared_ptr<Store> file_of(const cdf::Header& header, Index file_bytes) {
  auto store = memory_store();
  const auto file = store->open("a.nc", OpenMode::kWrite).value();
  file->write_at(cdf::print_header(header), 0).check();
  file->extend_to(file_bytes).check();
  return store;
}

/// Two fixed variables of 40 bytes, and two with records, of 8 and 4 bytes.
cdf::Header four_variables(Index n_records) {
  cdf::Header header{cdf::Version::kData64, n_records, {{"t", 0}, {"x", 10}, {"y", 2}}, {}, {}};
  header.variables = {{"a", {1}, {}, cdf::Type::kFloat, 1000, {}},
                      {"b", {1}, {}, cdf::Type::kFloat, 1040, {}},
                      {"u", {0, 2}, {}, cdf::Type::kFloat, 2000, {}},
                      {"v", {0}, {}, cdf::Type::kFloat, 2008, {}}};
  return header;
}

TEST(ForeignCdf, VariablesThatOverlapAreAnError) {
  EXPECT_TRUE(open_dataset(file_of(four_variables(3), 2036), "a.nc").ok());
  struct Row {
    std::size_t variable;
    Index begin;
    const char* named;
  };
  for (const Row& row : {Row{1, 1039, "'a' and 'b'"}, Row{0, 1040, "'b'"}, Row{1, 1990, "'u'"},
                         Row{0, 2030, "'a'"}, Row{3, 2004, "'u' and 'v'"}, Row{3, 2012, "'v'"},
                         Row{2, 1999, "'v'"}, Row{3, Index{1} << 62, "'v'"}}) {
    cdf::Header header = four_variables(3);
    header.variables[row.variable].begin = row.begin;
    const Status status = open_dataset(file_of(header, 2036), "a.nc").status();
    EXPECT_EQ(status.code(), Code::kDataLoss) << row.begin << status.message();
    EXPECT_NE(status.message().find(row.named), std::string::npos) << status.message();
  }
}

TEST(ForeignCdf, LeavesOutValuesBeyondTheEndOfTheFile) {
  auto store = file_of(four_variables(3), 2030);
  auto dataset = open_dataset(store, "a.nc").value();
  EXPECT_EQ(dataset->times.size(), 2U);
  EXPECT_EQ(dataset->warnings,
            std::vector<std::string>{"the header lists 3 records, of which 2 are in the file of 2030 bytes"});
  EXPECT_FALSE(dataset->schema.find_field("v")->fixed) << "a time series";
  EXPECT_EQ(verify_dataset(store, "a.nc").value().num_errors, 1);
  store = file_of(four_variables(0), 1079);
  dataset = open_dataset(store, "a.nc").value();
  EXPECT_NE(dataset->schema.find_field("a"), nullptr);
  EXPECT_EQ(dataset->schema.find_field("b"), nullptr);
  EXPECT_EQ(dataset->warnings[0],
            "variable 'b' is left out: its values end at byte 1080, but the file ends at byte 1079");
}

TEST(ForeignCdf, RecordsWithoutVariablesAreNotSteps) {
  cdf::Header header = four_variables(Index{1} << 60);
  header.variables.resize(2);
  EXPECT_TRUE(open_dataset(file_of(header, 2000), "a.nc").value()->times.empty());
}

TEST(OpenDataset, FilesOfOtherFormatsAreNamed) {
  const auto store = memory_store();
  store->create_exclusive("x.h5", "\x89HDF\r\n\x1a\n...").check();
  const Status hdf5 = open_dataset(store, "x.h5").status();
  EXPECT_TRUE(hdf5.code() == Code::kDataLoss || hdf5.message().find("without the HDF5") != std::string::npos)
      << hdf5.message();
  store->create_exclusive("short.nc", "CD").check();
  const Status none = open_dataset(store, "short.nc").status();
  EXPECT_EQ(none.code(), Code::kDataLoss);
  EXPECT_NE(none.message().find("not a dataset of a known format"), std::string::npos) << none.message();
  store->create_exclusive("damaged.nc", "CDF\x01").check();
  EXPECT_EQ(open_dataset(store, "damaged.nc").status().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace esker
