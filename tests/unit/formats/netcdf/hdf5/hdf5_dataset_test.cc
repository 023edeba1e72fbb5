// HDF5 files as datasets: Esker's files at every level, also after a kill; files of the netCDF library;
// damaged files.
#include "formats/netcdf/hdf5/hdf5_dataset.h"

#include <gtest/gtest.h>
#include <netcdf.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <set>

#include "esker/dataset.hpp"
#include "format/schema_json.h"
#include "formats/netcdf/hdf5/journal.h"
#include "formats/registry/open_dataset.h"
#include "formats/registry/verify.h"
#include "store/faulty_store.h"
#include "support/netcdf_runs.h"
#include "support/read_box.h"
#include "support/runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

RunPlan dataset_run() {
  RunPlan run;
  run.path = "run.nc";
  run.options = {{"format", "netcdf4"}, {"report", "none"}};
  run.checksums = false;
  return run;
}

TEST(Hdf5Dataset, EveryLevelOfEveryFieldReadsAsItWasWritten) {
  for (const char* chunks : {"auto", "3,2,5", "1,1,1", "100,1,2"}) {
    for (const bool single : {false, true}) {
      RunPlan run = dataset_run();
      run.single = single;
      run.options["chunks"] = chunks;
      const auto store = memory_store();
      ASSERT_TRUE(write_all(store, run).ok());
      const auto before = all_files(*store, ".");
      expect_complete(store, run, run.end_step);
      run.path = "run";
      expect_complete(store, run, run.end_step);
      EXPECT_EQ(findings_of(store, "run.nc"), std::vector<std::string>{});
      EXPECT_EQ(all_files(*store, ".") == before, true) << "reading changed something";
    }
  }
}

TEST(Hdf5Dataset, ReadsPlainChunksWithoutTheLibrary) {
  RunPlan run = dataset_run();
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const auto dataset = hdf5::Hdf5Dataset::open(store, "run.nc").value();
  for (std::size_t f = 0; f < dataset.schema.fields().size(); ++f) {
    const auto field = static_cast<int>(f);
    EXPECT_FALSE(dataset.read_unit(field, dataset.bitmask(field).value().max_level()).whole)
        << dataset.schema.fields()[f].name;
  }
}

TEST(Hdf5Dataset, ReturnsTheAddressesOfSamples) {
  RunPlan run = dataset_run();
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const auto source = hdf5::Source::open(store, "run.nc").value();
  const auto found = source.describe().value();
  for (std::size_t f = 0; f < found.of_field.size(); ++f) {
    const Field& field = found.schema.fields()[f];
    const bool has_steps = !field.fixed && !found.of_field[f].chunk.empty();
    const auto places = source.places(found.of_field[f], field.type, has_steps ? 0 : -1).value();
    ASSERT_TRUE(places.has_value()) << field.name;
    std::vector<std::byte> first(static_cast<std::size_t>(field.sample_bytes()));
    source.file().read_at(first, places->front()).check();
    EXPECT_EQ(first == expected_samples(field, static_cast<int>(f), 0, {Point{}}), true) << field.name;
  }
}

/// The library opens the file for the first field of a step, and once again for all others.
TEST(Hdf5Dataset, LooksUpTheFieldsOfAStepTogether) {
  const RunPlan run = dataset_run();
  const auto files = memory_store();
  ASSERT_TRUE(write_all(files, run).ok());
  int sessions = 0;
  const auto store = faulty_store(files, [&](StoreCall call, const std::string& path) {
    if (call == StoreCall::kExists && path == hdf5::journal_of("run.nc")) ++sessions;
    return 0;
  });
  const auto dataset = hdf5::Hdf5Dataset::open(store, "run.nc").value();
  sessions = 0;
  int num_read = 0;
  for (std::size_t f = 0; f < dataset.schema.fields().size(); ++f) {
    const auto field = static_cast<int>(f);
    const Field& of = dataset.schema.fields()[f];
    if (!dataset.has(field, 0)) continue;
    const Box box = dataset.box(field);
    std::vector<std::byte> samples(static_cast<std::size_t>(box.num_samples() * of.sample_bytes()));
    const int level = dataset.bitmask(field).value().max_level();
    ASSERT_TRUE(read_box(dataset, field, 0, box, level, samples.data()).ok()) << of.name;
    std::vector<Point> points;
    for_each_point(box, [&](const Point& p) { points.push_back(p); });
    EXPECT_EQ(samples == expected_samples(of, field, 0, points), true) << of.name;
    ++num_read;
  }
  EXPECT_GT(num_read, 2);
  EXPECT_EQ(sessions, 2);
}

// Another file has replaced the file: cached information about the old file is not used.
TEST(Hdf5Dataset, NoticesAReplacedFile) {
  RunPlan run = dataset_run();
  const auto store = memory_store(), other = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const auto dataset = hdf5::Hdf5Dataset::open(store, "run.nc").value();
  RunPlan changed = run;
  changed.options["chunks"] = "3,5,2";
  ASSERT_TRUE(write_all(other, changed).ok());
  const auto file = other->open("run.nc", OpenMode::kRead).value();
  std::vector<std::byte> bytes(static_cast<std::size_t>(file->size_bytes().value()));
  file->read_at(bytes, 0).check();
  const auto in_place = store->open("run.nc", OpenMode::kWrite).value();
  in_place->write_at(bytes, 0).check();
  for (std::size_t f = 0; f < dataset.schema.fields().size(); ++f) {
    const auto field = static_cast<int>(f);
    const Box box = dataset.box(field);
    const Index bytes_of_field = box.num_samples() * dataset.schema.fields()[f].sample_bytes();
    std::vector<std::byte> samples(static_cast<std::size_t>(bytes_of_field));
    const int level = dataset.bitmask(field).value().max_level();
    const Status status = testing_support::read_box(dataset, field, 0, box, level, samples.data());
    if (!status.ok()) continue;
    std::vector<Point> points;
    for_each_point(box, [&](const Point& p) { points.push_back(p); });
    EXPECT_EQ(samples == expected_samples(dataset.schema.fields()[f], field, 0, points), true);
  }
}

// Steps that were rewound after the positions of their samples were looked up.
TEST(Hdf5Dataset, DoesNotReadRewoundSteps) {
  RunPlan run = dataset_run();
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const auto dataset = hdf5::Hdf5Dataset::open(store, "run.nc").value();
  int field = 0;
  while (dataset.schema.fields()[static_cast<std::size_t>(field)].fixed) ++field;
  const Index bytes = dataset.box(field).num_samples() *
                      dataset.schema.fields()[static_cast<std::size_t>(field)].sample_bytes();
  std::vector<std::byte> samples(static_cast<std::size_t>(bytes));
  const auto read = [&](Index step) {
    return testing_support::read_box(dataset, field, step, dataset.box(field),
                                     dataset.bitmask(field).value().max_level(), samples.data());
  };
  const Index last = run.end_step - 1;
  ASSERT_TRUE(read(last).ok());
  RunPlan back = run;
  back.first_step = back.end_step = 1;  // appends no step after step 0
  ASSERT_TRUE(write_all(store, back).ok());
  EXPECT_FALSE(read(last).ok());
  const Status status = read(0);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Hdf5Dataset, TheSchemaIsThatOfTheRun) {
  const RunPlan run = dataset_run();
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  RunPlan cdf = run;
  cdf.options["format"] = "cdf5";
  const auto other = memory_store();
  ASSERT_TRUE(write_all(other, cdf).ok());
  const auto found = open_dataset(store, "run.nc").value(), expected = open_dataset(other, "run.nc").value();
  EXPECT_EQ(print_schema(found->schema), print_schema(expected->schema));
  EXPECT_EQ(found->times, expected->times);
  EXPECT_EQ(found->infos.size(), expected->infos.size());
}

// The files before any call to the file system are what a reader finds then, or after a kill. They hold all
// committed steps, and reading does not change them.
TEST(Hdf5Dataset, ReadsTheCommittedStepsAtAnyMomentOfAWriter) {
  const RunPlan run = dataset_run();
  const auto moments = moments_of(run, "run.nc");
  std::set<Index> seen;
  int n_journals = 0;
  for (const auto& files : moments) {
    n_journals += static_cast<int>(files.contains("run.nc.esker-journal"));
    const auto repaired = store_of(files);
    hdf5::recover(*repaired, "run.nc", false).check();
    const Index n_steps = committed_steps(all_files(*repaired, ".").at("run.nc"));
    seen.insert(n_steps);
    const auto found = store_of(files);
    expect_complete(found, run, n_steps);
    ASSERT_EQ(all_files(*found, ".") == files, true) << "reading changed something";
  }
  EXPECT_EQ(seen, (std::set<Index>{0, 1, 2, 3}));
  EXPECT_GT(n_journals, 10);
}

// At any length the reader returns a result or an error.
TEST(Hdf5Dataset, TruncatedFilesAreErrors) {
  const RunPlan run = dataset_run();
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const std::string whole = all_files(*store, ".").at("run.nc");
  const std::size_t step = std::max<std::size_t>(1, whole.size() / 300);
  for (std::size_t n_bytes = 8; n_bytes < whole.size(); n_bytes += n_bytes < 256 ? 1 : step) {
    const auto cut = store_of({{"run.nc", whole.substr(0, n_bytes)}});
    const Status status = open_dataset(cut, "run.nc").status();
    ASSERT_EQ(status.code(), Code::kDataLoss) << n_bytes << " bytes: " << status.message();
    ASSERT_LT(status.message().size(), 500u);
  }
}

TEST(Hdf5Dataset, ChangedBytesDoNotEndTheProgram) {
  RunPlan run = dataset_run();
  run.end_step = 1;
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const std::string whole = all_files(*store, ".").at("run.nc");
  std::mt19937 random(7);
  int n_errors = 0;
  for (int n = 0; n < 400; ++n) {
    std::string damaged = whole;
    for (int k = 0; k < 8; ++k) damaged[random() % damaged.size()] ^= static_cast<char>(1u << (random() % 8));
    const auto report = verify_dataset(store_of({{"run.nc", damaged}}), "run.nc");
    n_errors += static_cast<int>(!report.ok() || report->num_errors > 0);
  }
  EXPECT_GT(n_errors, 0);
}

/// A file that the netCDF library writes, opened by Esker.
class ForeignHdf5 : public testing::Test {
 protected:
  ForeignHdf5()
      : path_(
            (std::filesystem::temp_directory_path() / ("esker-foreign4-" + std::to_string(getpid()) + ".nc"))
                .string()) {
    nc(nc_create(path_.c_str(), NC_CLOBBER | NC_NETCDF4, &id_));
  }
  ~ForeignHdf5() override { std::filesystem::remove(path_); }

  static int dim(int group, const char* name, std::size_t length) {
    int number = -1;
    nc(nc_def_dim(group, name, length, &number));
    return number;
  }
  static int variable(int group, const char* name, nc_type type, const std::vector<int>& dims) {
    int number = -1;
    nc(nc_def_var(group, name, type, static_cast<int>(dims.size()), dims.data(), &number));
    return number;
  }
  [[nodiscard]] Dataset open() {
    nc(nc_close(id_));
    return Dataset::open(path_).value();
  }

  std::string path_;
  int id_ = -1;
};

TEST_F(ForeignHdf5, VariablesAreFieldsAndTheUnlimitedDimensionHasTheSteps) {
  const int time = dim(id_, "t", NC_UNLIMITED), y = dim(id_, "lat", 3), x = dim(id_, "lon", 4);
  const int lon = variable(id_, "lon", NC_FLOAT, {x}), times = variable(id_, "t", NC_INT, {time});
  const int temperature = variable(id_, "sea temperature", NC_SHORT, {time, y, x});
  const int late = variable(id_, "late", NC_DOUBLE, {time, x});
  variable(id_, "crs", NC_INT, {});
  variable(id_, "title", NC_CHAR, {x});
  variable(id_, "names", NC_STRING, {x});
  nc(nc_def_var_deflate(id_, temperature, 1, 1, 6));
  nc(nc_def_var_fletcher32(id_, temperature, 1));
  nc(nc_def_var_endian(id_, temperature, NC_ENDIAN_BIG));
  nc(nc_put_att_text(id_, temperature, "units", 4, "degC"));
  const char* text = "a string";
  nc(nc_put_att_string(id_, temperature, "long_name", 1, &text));
  const std::vector<float> longitudes{10, 20, 30, 40};
  nc(nc_put_var_float(id_, lon, longitudes.data()));
  for (std::size_t step = 0; step < 3; ++step) {
    std::vector<short> values(12);
    std::iota(values.begin(), values.end(), static_cast<short>(100 * step));
    const std::size_t start[] = {step, 0, 0}, count[] = {1, 3, 4};
    nc(nc_put_vara_short(id_, temperature, start, count, values.data()));
    const int number = static_cast<int>(7 * step);
    nc(nc_put_var1_int(id_, times, start, &number));
  }
  const std::size_t first[] = {0, 0}, row[] = {1, 4};
  const double reals[] = {1, 2, 3, 4};
  nc(nc_put_vara_double(id_, late, first, row, reals));

  const Dataset dataset = open();
  EXPECT_EQ(dataset.steps(), (std::vector<double>{0, 7, 14}));
  ASSERT_EQ(dataset.schema().fields().size(), 3u);
  const Field* names = dataset.schema().find_field("names");
  ASSERT_NE(names, nullptr);
  EXPECT_EQ(std::get<std::string>(names->attributes.at("dtype")), "S1");
  const Field* field = dataset.schema().find_field("sea_temperature");
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->type, SampleType::kInt16);
  EXPECT_EQ(std::get<std::string>(field->attributes.at("units")), "degC");
  EXPECT_EQ(std::get<std::string>(field->attributes.at("long_name")), "a string");
  const Grid& grid = dataset.schema().grid_of(*field);
  EXPECT_EQ(grid.coords.at("lon"), (std::vector<double>{10, 20, 30, 40}));
  EXPECT_FALSE(grid.coords.contains("lat"));
  EXPECT_EQ(dataset.warnings(),
            std::vector<std::string>{"variable 'sea temperature' is renamed to 'sea_temperature'"});
  EXPECT_NE(dataset.schema().find_scalar("crs"), nullptr);
  EXPECT_NE(dataset.schema().find_scalar("title"), nullptr);
  std::vector<short> values(4);
  const Query last{.field = "sea_temperature", .step = -1, .box = Box({0, 1}, {4, 2})};
  Dataset again = Dataset::open(path_).value();
  again.read(last, values.data(), 8).check();
  EXPECT_EQ(values, (std::vector<short>{204, 205, 206, 207}));
  EXPECT_TRUE(again.has("late", 0).value());
  EXPECT_FALSE(again.has("late", 1).value()) << "the file has it at one step only";
  EXPECT_EQ(verify_dataset(posix_store(), path_).value().num_errors, 0);
}

TEST_F(ForeignHdf5, VerifyCountsTheBytesThatAreStored) {
  const int x = dim(id_, "x", 100000);
  const int v = variable(id_, "v", NC_DOUBLE, {x});
  nc(nc_def_var_deflate(id_, v, 0, 1, 6));
  const std::vector<double> values(100000, 1234.5);
  nc(nc_put_var_double(id_, v, values.data()));
  (void)open();
  const auto report = verify_dataset(posix_store(), path_).value();
  EXPECT_EQ(report.num_errors, 0);
  EXPECT_GT(report.bytes, 0);
  EXPECT_LT(report.bytes, static_cast<Index>(std::filesystem::file_size(path_)));
}

TEST_F(ForeignHdf5, ADamagedChunkIsFound) {
  const int x = dim(id_, "x", 1000);
  const int v = variable(id_, "v", NC_DOUBLE, {x});
  nc(nc_def_var_fletcher32(id_, v, 1));
  const std::vector<double> values(1000, 1234.5);
  nc(nc_put_var_double(id_, v, values.data()));
  (void)open();
  std::string bytes = read_text(*posix_store(), path_, 1 << 20).value();
  const double wanted = 1234.5;
  const std::string pattern(reinterpret_cast<const char*>(&wanted), 8);
  const std::size_t at = bytes.find(pattern + pattern);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 2] ^= 1;
  const auto report = verify_dataset(store_of({{"a.nc", bytes}}), "a.nc").value();
  ASSERT_EQ(report.num_errors, 1);
  EXPECT_NE(report.findings[0].text.find("field 'v'"), std::string::npos) << report.findings[0].text;
}

// HDF5 visits all possible chunks around the request.
TEST_F(ForeignHdf5, MoreChunksThanTheFileCanHoldAreLeftOut) {
  const std::size_t length = std::size_t{1} << 40, chunk = 8;
  const int x = dim(id_, "x", length), y = dim(id_, "y", 4);
  const int many = variable(id_, "many", NC_DOUBLE, {x});
  nc(nc_def_var_chunking(id_, many, NC_CHUNKED, &chunk));
  const int empty = variable(id_, "empty", NC_DOUBLE, {x});
  nc(nc_def_var_chunking(id_, empty, NC_CONTIGUOUS, nullptr));
  variable(id_, "few", NC_DOUBLE, {y});
  const Dataset dataset = open();
  EXPECT_EQ(dataset.schema().find_field("many"), nullptr);
  EXPECT_NE(dataset.schema().find_field("few"), nullptr);
  ASSERT_EQ(dataset.warnings().size(), 2u);
  EXPECT_NE(dataset.warnings()[0].find("'many' is left out: it has more chunks than"), std::string::npos);
  EXPECT_NE(dataset.warnings()[1].find("field 'empty' has more values than"), std::string::npos);
  std::vector<double> corner(2);
  dataset.read({.field = "empty", .box = Box({5}, {7})}, corner.data(), 16).check();
  EXPECT_EQ(corner, std::vector<double>(2, NC_FILL_DOUBLE));
}

TEST_F(ForeignHdf5, GroupsAreInNames) {
  const int x = dim(id_, "x", 3);
  int group = -1;
  nc(nc_def_grp(id_, "deep", &group));
  const int y = dim(group, "y", 2);
  const int ys = variable(group, "y", NC_DOUBLE, {y}), v = variable(group, "v", NC_INT, {y, x});
  const double coordinates[] = {5, 6};
  nc(nc_put_var_double(group, ys, coordinates));
  const int values[] = {1, 2, 3, 4, 5, 6};
  nc(nc_put_var_int(group, v, values));
  const Dataset dataset = open();
  EXPECT_TRUE(dataset.warnings().empty());
  const Field* field = dataset.schema().find_field("deep_v");
  ASSERT_NE(field, nullptr);
  const Grid& grid = dataset.schema().grid_of(*field);
  EXPECT_EQ(grid.coords.at("deep_y"), (std::vector<double>{5, 6}));
  std::vector<int> read(6);
  dataset.read({.field = "deep_v"}, read.data(), 24).check();
  EXPECT_EQ(read, (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace esker
