// Compressed Zarr arrays of whole runs: the bound of rounded values, and files that do not depend on ranks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/json_text.h"
#include "formats/registry/open_dataset.h"
#include "support/netcdf_runs.h"
#include "support/read_box.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

/// Floats on a volume, a plane and a line, with components, one fixed and one not at all steps.
RunPlan lossy_run(const std::string& compression = "bitround=3", int n_ranks = 1) {
  RunPlan run;
  run.n_ranks = n_ranks;
  run.path = "run.zarr";
  run.schema = volume_plane_and_line({23, 17, 9});
  run.options = {{"format", "zarr"}, {"compression", compression}, {"chunks", "7,5,4"}};
  return run;
}

template <class Real>
std::vector<double> reals_in(const std::vector<std::byte>& bytes) {
  std::vector<double> values;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Real)) {
    Real value;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    values.push_back(static_cast<double>(value));
  }
  return values;
}

/// All values of a field at a step.
std::vector<double> values_of(const OpenedDataset& dataset, std::size_t field, Index step) {
  const Field& of = dataset.schema.fields()[field];
  const int number = static_cast<int>(field);
  const Box box = dataset.box(number);
  std::vector<std::byte> bytes(static_cast<std::size_t>(box.num_samples() * of.sample_bytes()));
  read_box(dataset, number, step, box, OpenedDataset::kEveryLevel, bytes.data()).check();
  return of.type == SampleType::kFloat32 ? reals_in<float>(bytes) : reals_in<double>(bytes);
}

/// Calls check(field, step, values, values without loss) for all that the run writes.
template <class Check>
void compare_with_original(const RunPlan& run, const Check& check) {
  RunPlan exact = run;
  exact.options["compression"] = "none";
  const auto lossy_data = open_dataset(written(run), run.path).value();
  const auto exact_data = open_dataset(written(exact), run.path).value();
  for (std::size_t f = 0; f < exact_data->schema.fields().size(); ++f) {
    for (Index step = 0; step < run.end_step; ++step) {
      if (!exact_data->has(static_cast<int>(f), step)) continue;
      check(*lossy_data, f, step, values_of(*lossy_data, f, step), values_of(*exact_data, f, step));
    }
  }
}

TEST(ZarrBitRound, KeepsItsBound) {
  double largest = 0;
  compare_with_original(
      lossy_run(), [&](const OpenedDataset&, std::size_t field, Index step, const std::vector<double>& found,
                       const std::vector<double>& wanted) {
        ASSERT_EQ(found.size(), wanted.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          const double off = std::abs(found[i] - wanted[i]);
          ASSERT_LE(off, std::abs(wanted[i]) / 16) << "field " << field << ", step " << step;
          largest = std::max(largest, off);
        }
      });
  EXPECT_GT(largest, 0);
}

/// A bound is one float above the true error at most.
TEST(ZarrBitRound, ErrorsOfEveryStepAreRecorded) {
  compare_with_original(lossy_run(), [](const OpenedDataset& data, std::size_t field, Index step,
                                        const std::vector<double>& found, const std::vector<double>& wanted) {
    const int number = static_cast<int>(field);
    double off = 0;
    for (std::size_t i = 0; i < found.size(); ++i) off = std::max(off, std::abs(found[i] - wanted[i]));
    const double recorded = data.errors(number, step).value().value().largest;
    EXPECT_EQ(static_cast<float>(recorded), recorded);
    EXPECT_GE(recorded, off) << "field " << field << ", step " << step;
    EXPECT_LE(std::nextafter(static_cast<float>(recorded), 0.0F), off);
    const bool is_fixed = data.schema.fields()[field].fixed;
    const std::vector<double> of_steps = data.largest_errors(number).value();
    ASSERT_EQ(of_steps.size(), is_fixed ? 1U : 3U);
    EXPECT_EQ(of_steps[static_cast<std::size_t>(is_fixed ? 0 : step)], recorded);
    if (data.has(number, 1)) return;
    EXPECT_EQ(of_steps[1], 0);
  });
}

TEST(ZarrBitRound, ExactFieldsHaveNoErrors) {
  const auto data = open_dataset(written(lossy_run("zstd")), "run.zarr").value();
  EXPECT_FALSE(data->errors(0, 0).value().has_value());
  EXPECT_TRUE(data->largest_errors(0).value().empty());
}

TEST(ZarrCompression, FilesAreTheSameForAnyNumberOfRanksAggregatorsAndThreads) {
  for (const char* compression : {"bitround=3", "blosc"}) {
    const auto expected = files_of(lossy_run(compression));
    for (const int n_ranks : {1, 2, 4, 7}) {
      for (const int aggregators : {0, 1}) {
        RunPlan run = lossy_run(compression, n_ranks);
        run.aggregators = aggregators;
        run.seed = static_cast<unsigned>(n_ranks + aggregators);
        run.new_boxes_each_step = true;
        run.options["compress_threads"] = std::to_string(1 + n_ranks % 3);
        SCOPED_TRACE(fmt::format("{}, {} ranks, {} aggregators", compression, n_ranks, aggregators));
        ASSERT_EQ(files_of(run) == expected, true);
      }
    }
  }
}

TEST(ZarrCompression, BloscKeepsEveryValueOfEveryType) {
  for (const char* chunks : {"auto", "7,5,4", "1,1,1"}) {
    RunPlan run = lossy_run("blosc", 3);
    run.schema.reset();  // all types
    run.options["chunks"] = chunks;
    SCOPED_TRACE(chunks);
    const auto store = written(run);
    expect_complete(store, run, run.end_step);
    const Json group = Json::parse(all_files(*store, ".").at("run.zarr/zarr.json"));
    const Json& temp = group["consolidated_metadata"]["metadata"]["temp"];
    const Json expected = {{"cname", "zstd"},
                           {"clevel", 5},
                           {"shuffle", "shuffle"},
                           {"typesize", temp["data_type"] == "float64" ? 8 : 4},
                           {"blocksize", 0}};
    EXPECT_EQ(temp["codecs"][0]["configuration"]["codecs"][1]["configuration"], expected);
  }
}

TEST(ZarrBitRound, AnAppendedRunHasTheFilesOfOneRun) {
  RunPlan run = lossy_run();
  const auto expected = files_of(run);
  run.end_step = 2;
  const auto store = written(run);
  run.first_step = 1;  // step 1 is written again
  run.end_step = 3;
  ASSERT_TRUE(write_all(store, run).ok());
  EXPECT_EQ(all_files(*store, ".") == expected, true);
}

TEST(ZarrBitRound, ReadersLearnTheBitsAndTheCodec) {
  const auto files = files_of(lossy_run());
  const Json group = Json::parse(files.at("run.zarr/zarr.json"));
  for (const char* name : {"temp", "vel", "topg"}) {
    const Json& array = group["consolidated_metadata"]["metadata"][name];
    EXPECT_EQ(array["attributes"]["_QuantizeBitRoundNumberOfSignificantBits"], 3) << name;
    EXPECT_EQ(array["codecs"][0]["configuration"]["codecs"][1]["name"], "zstd") << name;
  }
}

TEST(ZarrBitRound, AKillAtAnyCallLeavesErrorsOfTheCommittedStepsAndARunCanContinue) {
  const RunPlan run = lossy_run("bitround=3", 2);
  const auto expected = files_of(run);
  const auto moments = moments_of(run, "run.zarr/zarr.json");
  ASSERT_GT(moments.size(), 50U);
  std::set<Index> seen;
  for (const auto& moment : moments) {
    const auto rest = store_of(moment);
    const auto data = open_dataset(rest, run.path).value();
    RunPlan next = lossy_run("bitround=3", 3);
    next.append = true;
    next.first_step = std::ssize(data->times);
    seen.insert(next.first_step);
    for (Index step = 0; step < next.first_step; ++step) {
      EXPECT_GT(data->errors(0, step).value().value().largest, 0);
    }
    const Status status = write_all(rest, next);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(all_files(*rest, ".") == expected, true) << next.first_step;
  }
  EXPECT_EQ(seen, (std::set<Index>{0, 1, 2, 3}));
}

TEST(ZarrBitRound, RewindingToNothingRemovesTheErrors) {
  RunPlan run = lossy_run();
  const auto expected = files_of(run);
  const auto store = written(run);
  run.append = true;  // from step 0 on
  ASSERT_TRUE(write_all(store, run).ok());
  EXPECT_EQ(all_files(*store, ".") == expected, true);
}

/// The error of a run; it must not leave files.
std::string message_of(RunPlan run) {
  const auto store = memory_store();
  const Status status = write_all(store, run);
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(all_files(*store, ".").empty());
  return status.message();
}

TEST(ZarrBitRound, ErrorsNameTheField) {
  RunPlan run = lossy_run("bitround=30");
  EXPECT_NE(message_of(run).find("field 'vel': bitround: 30 bits of float32, expected 1 to 23"),
            std::string::npos)
      << message_of(run);
  run = lossy_run();
  run.schema.reset();  // some fields are integers
  EXPECT_NE(message_of(run).find("bitround: values of type"), std::string::npos) << message_of(run);
  run = lossy_run();
  run.schema->add_field({"temp_max_error", 0, SampleType::kFloat32, 1, false, 1, {}}).status().check();
  EXPECT_NE(message_of(run).find("'temp_max_error': the errors of the compression of 'temp'"),
            std::string::npos)
      << message_of(run);
  run = lossy_run("lz4");
  EXPECT_NE(message_of(run).find("field 'temp': compression lz4: Zarr arrays do not have it; expected none, "
                                 "zip, zstd, bitround=N (1 to 52), blosc"),
            std::string::npos)
      << message_of(run);
}

}  // namespace
}  // namespace esker
