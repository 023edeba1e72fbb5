// What every format promises: the same files on any ranks, the values in them as software that Esker's
// writers do not share reads them, and a dataset that opens and continues after kills and failures. A new
// format is added to formats().
#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "formats/registry/open_dataset.h"
#include "formats/registry/verify.h"
#include "support/netcdf_runs.h"
#include "support/runs.h"
#include "support/thread_comm.h"
#ifdef ESKER_HAVE_HDF5
#include "formats/netcdf/hdf5/journal.h"
#endif

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

using Files = std::map<std::string, std::string>;

struct Format {
  const char* name;         ///< the option `format`
  const char* path;         ///< of the dataset
  int of_netcdf = 0;        ///< the format that nc_inq_format() tells; 0: netCDF does not read it
  int least_moments = 0;    ///< that a kill can leave in three steps of two ranks
  bool is_slow = false;     ///< too slow to let every call fail
  bool is_rounded = false;  ///< to as many bits as the values have, with a record of the errors

  /// Whether all steps are in one file.
  [[nodiscard]] bool is_file() const { return of_netcdf != 0; }
  [[nodiscard]] RunPlan run(int n_ranks) const {
    RunPlan run;
    run.n_ranks = n_ranks;
    run.path = path;
    run.options = {{"format", name}, {"report", "none"}};
    if (is_rounded) {
      run.options["compression"] = "bitround=23";
      run.schema = volume_plane_and_line({15, 11, 7});
    }
    run.seed = static_cast<unsigned>(n_ranks);
    return run;
  }
};

std::vector<Format> formats() {
  std::vector<Format> all{{"idx", "run.idx"},
                          {"cdf", "run.nc", NC_FORMAT_64BIT_DATA, 20},
                          {"cdf5", "run.nc", NC_FORMAT_64BIT_DATA, 20, true},
                          {"zarr", "run.zarr"},
                          {"zarr", "run.zarr", 0, 0, false, true}};
#ifdef ESKER_HAVE_HDF5
  all.push_back({"netcdf4", "run.nc", NC_FORMAT_NETCDF4, 40, true});
#endif
  return all;
}

class Conformance : public testing::TestWithParam<Format> {
 protected:
  [[nodiscard]] static const Format& format() { return GetParam(); }
  [[nodiscard]] static RunPlan run_on(int n_ranks) { return format().run(n_ranks); }
  /// The file of the dataset, after what a reader applies before it reads.
  static std::string recovered(const Files& files) {
    const auto store = store_of(files);
#ifdef ESKER_HAVE_HDF5
    if (format().of_netcdf == NC_FORMAT_NETCDF4) hdf5::recover(*store, format().path, false).check();
#endif
    return all_files(*store, ".").at(format().path);
  }
  /// What a kill leaves, without the lock of the run that died.
  static Files without_lock(Files files) {
    std::erase_if(files, [](const auto& file) { return file.first.ends_with(".esker-lock"); });
    return files;
  }
};

/// Formats that keep all steps in one file, which netCDF reads.
class ConformanceOfFiles : public Conformance {};

TEST_P(Conformance, FilesAreTheSameForAnyNumberOfRanksAndTransport) {
  const Files expected = files_of(run_on(1));
  ASSERT_TRUE(expected.contains(format().path) || !format().is_file());
  for (const int n_ranks : {1, 2, 4, 7}) {
    for (const auto& way : ways_to_move(n_ranks)) {
      RunPlan run = run_on(n_ranks);
      run.new_boxes_each_step = true;
      run.options.insert(way.begin(), way.end());
      SCOPED_TRACE(std::to_string(n_ranks) + " ranks, " + text_of(way));
      ASSERT_EQ(files_of(run) == expected, true);
    }
  }
}

TEST_P(Conformance, EveryLevelOfEveryFieldReadsAsItWasWritten) {
  for (const bool single : {false, true}) {
    RunPlan run = run_on(2);
    run.single = single;
    const auto store = memory_store();
    ASSERT_TRUE(write_all(store, run).ok());
    const Files before = all_files(*store, ".");
    expect_complete(store, run, run.end_step);
    EXPECT_EQ(findings_of(store, run.path), std::vector<std::string>{});
    run.path = "run";
    expect_complete(store, run, run.end_step);
    EXPECT_EQ(all_files(*store, ".") == before, true) << "reading changed something";
  }
}

TEST_P(Conformance, FixedFieldsExistFromTheFirstStepOn) {
  RunPlan run = run_on(1);
  run.end_step = 0;
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const auto dataset = open_dataset(store, run.path).value();
  for (std::size_t f = 0; f < dataset->schema.fields().size(); ++f) {
    EXPECT_EQ(dataset->has_samples(static_cast<int>(f)), !dataset->schema.fields()[f].fixed);
  }
}

TEST_P(Conformance, SeveralRunsGiveTheFilesOfOneRun) {
  RunPlan whole = run_on(1);
  whole.end_step = 4;
  const Files expected = files_of(whole);
  const auto store = memory_store();
  for (Index step = 0; step < 4; ++step) {
    RunPlan run = run_on(static_cast<int>(4 - step));
    run.first_step = step;
    run.end_step = step + 1;
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  ASSERT_EQ(all_files(*store, ".") == expected, true);
  RunPlan again = run_on(2);  // rewinds to step 1
  again.first_step = 2;
  again.end_step = 4;
  const Status status = write_all(store, again);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(all_files(*store, ".") == expected, true);
}

TEST_P(Conformance, AStepIsReportedWithItsFiles) {
  const RunPlan run = run_on(2);
  const auto store = memory_store();
  run_ranks(2, [&](const Communicator& comm) {
    const auto pipeline = open_run(comm, store, run).value();
    write_step(*pipeline, comm, run, 0).check();
    if (format().is_file()) {
      EXPECT_EQ(pipeline->steps().at(0).files, 1);
    } else {
      EXPECT_GT(pipeline->steps().at(0).files, 1);
    }
    pipeline->close({}).check();
  });
}

TEST_P(ConformanceOfFiles, NetcdfReadsEveryValue) {
  const RunPlan run = run_on(3);
  const Files files = files_of(run);
  ASSERT_EQ(files.size(), 1u);
  const NetcdfFile file(files.at(run.path));
  int found = 0;
  nc(nc_inq_format(file.id(), &found));
  EXPECT_EQ(found, format().of_netcdf) << "mask is an unsigned byte";
  expect_values(file, schema_of(run), run.end_step);
  EXPECT_EQ(file.values("time", 2, false, 1), std::vector<double>{time_of(2)});
}

TEST_P(ConformanceOfFiles, FindsMissingAndExtraBytes) {
  const RunPlan run = run_on(1);
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const auto file = store->open(run.path, OpenMode::kWrite).value();
  const Index size = file->size_bytes().value();
  file->write_at(std::vector<std::byte>(10), size).check();
  store->create_exclusive("run.esker-lock", "another").check();
  const auto report = verify_dataset(store, run.path).value();
  EXPECT_EQ(report.num_errors, 0);
  ASSERT_EQ(report.num_warnings, 2);
  EXPECT_NE(report.findings[0].text.find("after the last step"), std::string::npos);
  EXPECT_EQ(report.findings[1].path, "run.esker-lock");
  file->shrink_to(size - 1).check();
  const Status cut = verify_dataset(store, run.path).status();
  EXPECT_EQ(cut.code(), Code::kDataLoss) << cut.message();
  EXPECT_NE(cut.message().find(run.path), std::string::npos) << cut.message();
}

// Bytes that a killed run left after the committed steps are cut off before the next step.
TEST_P(ConformanceOfFiles, LeftoversAreCutOff) {
  RunPlan run = run_on(2);
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const auto file = store->open(run.path, OpenMode::kWrite).value();
  const std::string garbage(100000, 'g');
  file->write_at(std::as_bytes(std::span(garbage)), file->size_bytes().value()).check();
  run.first_step = run.end_step;
  run.end_step = run.first_step + 1;
  ASSERT_TRUE(write_all(store, run).ok());
  RunPlan whole = run_on(1);
  whole.end_step = run.end_step;
  ASSERT_EQ(all_files(*store, ".") == files_of(whole), true);
}

// The files before any call to the file system are what a kill there leaves. They open and hold the committed
// steps, and continuing the run gives the file of one run.
TEST_P(ConformanceOfFiles, AKillAtAnyCallLeavesTheCommittedStepsAndARunCanContinue) {
  const RunPlan run = run_on(2);
  const Files expected = files_of(run);
  const auto moments = moments_of(run, run.path);
  ASSERT_GT(std::ssize(moments), format().least_moments);
  std::set<Index> seen;
  std::size_t n_journals = 0;
  for (const Files& moment : moments) {
    const std::string bytes = recovered(moment);
    const Index n_steps = committed_steps(bytes);
    seen.insert(n_steps);
    n_journals += moment.count(run.path + ".esker-journal");
    expect_values(NetcdfFile(bytes), schema_of(run), n_steps);
    const auto rest = store_of(moment);
    RunPlan next = run_on(3);
    next.first_step = n_steps;
    next.overwrite = n_steps == 0;
    const Status status = write_all(rest, next);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(all_files(*rest, ".") == expected, true) << n_steps;
  }
  EXPECT_EQ(seen, (std::set<Index>{0, 1, 2, 3}));
  const bool has_journals = format().of_netcdf == NC_FORMAT_NETCDF4;
  EXPECT_TRUE(has_journals ? n_journals > 10 : n_journals == 0) << n_journals;
}

TEST_P(ConformanceOfFiles, AfterAnyFailureTheFileHoldsTheCommittedStepsAndARunCanContinue) {
  RunPlan whole = run_on(1);
  whole.end_step = 4;
  whole.fsync = Fsync::kStep;
  const Files expected = files_of(whole);
  RunPlan run = run_on(1);
  run.fsync = Fsync::kStep;
  for (const int n_faults : {1, 2, 4}) {
    auto store = memory_store();
    const int n_attempts = n_faults == 4 ? 3 : 1;
    const int stride = format().is_slow ? 2 * n_faults - 1 : 1;
    for (int first = 1; run_with_faults(store, run, first, n_faults, n_attempts); first += stride) {
      SCOPED_TRACE(std::to_string(n_faults) + " from call " + std::to_string(first));
      const Files files = without_lock(all_files(*store, "."));
      RunPlan next = run_on(2);
      next.end_step = 4;
      if (files.contains(run.path)) {
        const std::string bytes = recovered(files);
        next.first_step = committed_steps(bytes);
        next.overwrite = next.first_step == 0;
        expect_values(NetcdfFile(bytes), schema_of(run), next.first_step);
      }
      const Status status = write_all(store, next);
      ASSERT_TRUE(status.ok()) << status.message();
      ASSERT_EQ(all_files(*store, ".") == expected, true);
      store = memory_store();
    }
  }
}

std::string name_of(const testing::TestParamInfo<Format>& test) {
  return test.param.name + std::string(test.param.is_rounded ? "Rounded" : "");
}

std::vector<Format> formats_of_files() {
  std::vector<Format> files = formats();
  std::erase_if(files, [](const Format& format) { return !format.is_file(); });
  return files;
}

INSTANTIATE_TEST_SUITE_P(All, Conformance, testing::ValuesIn(formats()), name_of);
INSTANTIATE_TEST_SUITE_P(All, ConformanceOfFiles, testing::ValuesIn(formats_of_files()), name_of);

}  // namespace
}  // namespace esker
