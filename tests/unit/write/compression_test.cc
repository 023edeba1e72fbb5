// Compressed datasets: on threads as ranks, and a store in memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <tuple>

#include "base/macros.h"
#include "esker/dataset.hpp"
#include "esker/writer.hpp"
#include "formats/idx/entries.h"
#include "formats/idx/idx_part.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario and ranks

RunPlan compressed_run(const std::string& compression) {
  RunPlan run;
  run.options = {{"compression", compression}};
  return run;
}

void expect_written_like(const std::shared_ptr<Store>& reference, const RunPlan& run) {
  SCOPED_TRACE(
      fmt::format("{} ranks, {} aggregators, {}", run.n_ranks, run.aggregators, text_of(run.options)));
  const auto store = memory_store();
  const Status status = write_all(store, run);
  ASSERT_TRUE(status.ok()) << status.message();
  expect_same_files(*store, *reference, ".");
}

class Compression : public testing::TestWithParam<const char*> {};

TEST_P(Compression, TheFilesDoNotDependOnRanksAggregatorsBudgetOrThreads) {
  const auto reference = memory_store();
  const RunPlan serial = compressed_run(GetParam());
  ASSERT_TRUE(write_all(reference, serial).ok());
  expect_complete(reference, serial, 3);
  for (const int n_ranks : {1, 2, 4, 7, 16}) {
    for (const int aggregators : {0, 1, 3, n_ranks}) {
      if (aggregators > n_ranks) continue;
      RunPlan run = serial;
      run.n_ranks = n_ranks;
      run.aggregators = aggregators;
      run.seed = static_cast<unsigned>(n_ranks + 100 * aggregators);
      run.new_boxes_each_step = aggregators == 1;
      run.options["compress_threads"] = std::to_string(1 + (n_ranks + aggregators) % 4);
      if (aggregators == 3) run.memory_budget = Index{320} << 10;
      expect_written_like(reference, run);
    }
  }
}

TEST_P(Compression, TheFilesDoNotDependOnTheTransport) {
  const auto reference = memory_store();
  ASSERT_TRUE(write_all(reference, compressed_run(GetParam())).ok());
  for (const auto& way : ways_to_move()) {
    for (const int ranks_per_node : {0, 2}) {
      RunPlan run = compressed_run(GetParam());
      run.n_ranks = 5;
      run.ranks_per_node = ranks_per_node;
      run.options.insert(way.begin(), way.end());
      run.options["collective_buffer"] = "16K";
      expect_written_like(reference, run);
    }
  }
}

// Several ranks take turns in each file.
TEST_P(Compression, RanksThatShareAFileWriteTheBytesOfOne) {
  RunPlan serial = compressed_run(GetParam());
  serial.options["blocks_per_file"] = "100000";
  const auto reference = memory_store();
  ASSERT_TRUE(write_all(reference, serial).ok());
  expect_complete(reference, serial, 3);
  for (const int n_ranks : {2, 4, 7}) {
    RunPlan run = serial;
    run.n_ranks = run.aggregators = n_ranks;
    run.options["collective_buffer"] = "4K";
    expect_written_like(reference, run);
  }
}

TEST_P(Compression, AppendedRunsEndInTheBytesOfOneRun) {
  const auto reference = memory_store();
  ASSERT_TRUE(write_all(reference, compressed_run(GetParam())).ok());
  const auto store = memory_store();
  RunPlan run = compressed_run(GetParam());
  run.end_step = 2;
  run.n_ranks = 4;
  ASSERT_TRUE(write_all(store, run).ok());
  run = compressed_run("none");  // the dataset knows
  run.first_step = 1;
  run.n_ranks = 3;
  const Status status = write_all(store, run);
  ASSERT_TRUE(status.ok()) << status.message();
  expect_same_files(*store, *reference, ".");
}

INSTANTIATE_TEST_SUITE_P(Lossless, Compression, testing::Values("zip", "lz4"));

// ---- zfp ----

namespace fs = std::filesystem;

/// Two steps of a smooth field and of a vector, on disk.
class Zfp : public testing::Test {
 protected:
  static constexpr Index kX = 37, kY = 29, kZ = 23;

  void SetUp() override {
    directory_ = fs::temp_directory_path() / ("esker-zfp-" + std::to_string(::getpid()));
    fs::remove_all(directory_);
    for (Index n = 0; n < kX * kY * kZ; ++n) {
      const auto x = static_cast<double>(n % kX), y = static_cast<double>(n / kX % kY);
      samples_.push_back(std::sin(x / 9) * std::cos(y / 7) + static_cast<double>(n / (kX * kY)) / 50);
    }
    for (const double value : samples_) {
      for (const double factor : {1.0, 10.0, 100.0}) vectors_.push_back(factor * value);
    }
  }
  void TearDown() override { fs::remove_all(directory_); }

  /// The path of the dataset that `n_ranks` ranks wrote.
  [[nodiscard]] std::string path(int n_ranks) const {
    return (directory_ / std::to_string(n_ranks) / "run.idx").string();
  }

  Status write_on_rank(const Communicator& comm, const std::string& compression) {
    Options options;
    options.set("bits_per_block", "12").check();
    options.set("report", "none").check();
    options.set("overwrite", "true").check();
    ESKER_ASSIGN_OR_RETURN(Writer writer, Writer::create(path(comm.size()), comm, options));
    const auto x = writer.def_dim("x", kX).value(), y = writer.def_dim("y", kY).value();
    const auto z = writer.def_dim("z", kZ).value();
    const auto grid = writer.def_grid("xyz", {x, y, z}).value();
    FieldOptions of_field;
    of_field.compression = compression;
    const auto t = writer.def_field(grid, "t", SampleType::kFloat64, of_field).value();
    of_field.components = 3;
    const auto v = writer.def_field(grid, "v", SampleType::kFloat64, of_field).value();
    const Box mine = BrickDecomposition::near_cubic(3, {kX, kY, kZ}, comm.size()).value().box(comm.rank());
    const Index first = mine.lo[0] + kX * (mine.lo[1] + kY * mine.lo[2]);
    for (int step = 0; step < 2; ++step) {
      ESKER_RETURN_IF_ERROR(writer.begin_step(step));
      ESKER_RETURN_IF_ERROR(writer.put(t, Patch::strided(mine, &samples_[first], {1, kX, kX * kY})));
      ESKER_RETURN_IF_ERROR(
          writer.put(v, Patch::strided(mine, &vectors_[3 * first], {3, 3 * kX, 3 * kX * kY})));
      ESKER_RETURN_IF_ERROR(writer.end_step());
    }
    return writer.close();
  }

  Status write(int n_ranks, const std::string& compression) {
    std::vector<Status> results(static_cast<std::size_t>(n_ranks));
    run_ranks(n_ranks, [&](const Communicator& comm) {
      results[static_cast<std::size_t>(comm.rank())] = write_on_rank(comm, compression);
    });
    return results.front();
  }

  /// The errors in the entries of all blocks of a step, and the largest one of each field.
  struct Recorded {
    std::vector<idx::BlockEntry> entries;
    std::map<std::string, std::vector<double>> largest;  // per step
  };
  [[nodiscard]] Recorded recorded(int n_ranks) const {
    const auto part = idx::IdxPart::open(posix_store(), path(n_ranks)).value();
    Recorded found;
    found.largest = part->record()->errors;
    const Index num_fields = std::ssize(part->header().fields);
    for (const auto& entry :
         fs::recursive_directory_iterator(directory_ / std::to_string(n_ranks) / "run" / "time_0001")) {
      if (!entry.is_regular_file()) continue;
      const std::string bytes = read_text(*posix_store(), entry.path().string(), 1 << 30).value();
      const Index size = idx::headers_bytes(part->header().blocks_per_file, num_fields);
      const auto headers = std::as_bytes(std::span(bytes)).first(static_cast<std::size_t>(size));
      const auto entries =
          idx::decode_headers(headers, part->header().blocks_per_file * num_fields, std::ssize(bytes))
              .value();
      std::copy_if(entries.begin(), entries.end(), std::back_inserter(found.entries),
                   [](const idx::BlockEntry& block) { return !block.absent(); });
    }
    return found;
  }

  /// Reads a field of the second step: the largest difference to `expected`.
  [[nodiscard]] double largest_error(int n_ranks, const std::string& field,
                                     const std::vector<double>& expected) const {
    const Dataset dataset = Dataset::open(path(n_ranks)).value();
    std::vector<double> values(expected.size());
    Query query;
    query.field = field;
    query.step = 1;
    dataset.read(query, values.data(), values.size() * sizeof(double)).check();
    double largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      largest = std::max(largest, std::abs(values[i] - expected[i]));
    return largest;
  }

  fs::path directory_;
  std::vector<double> samples_, vectors_;
};

TEST_F(Zfp, TheFilesDoNotDependOnTheNumberOfRanks) {
  const auto store = posix_store();
  for (const char* compression : {"zfp-reversible", "zfp-accuracy=1e-3", "zfp-precision=20"}) {
    ASSERT_TRUE(write(1, compression).ok());
    const auto wanted = all_files(*store, (directory_ / "1").string());
    ASSERT_GT(wanted.size(), 3u);
    for (const int n_ranks : {2, 4, 7}) {
      const Status status = write(n_ranks, compression);
      ASSERT_TRUE(status.ok()) << status.message();
      const std::string top = (directory_ / std::to_string(n_ranks)).string();
      const auto found = all_files(*store, top);
      ASSERT_EQ(found.size(), wanted.size());
      for (const auto& [name, bytes] : wanted) {
        const std::string same = top + name.substr((directory_ / "1").string().size());
        ASSERT_TRUE(found.contains(same)) << same;
        ASSERT_TRUE(found.at(same) == bytes) << same << " differs";
      }
    }
  }
}

TEST_F(Zfp, ReversibleFieldsHaveNoErrors) {
  ASSERT_TRUE(write(4, "zfp-reversible").ok());
  EXPECT_EQ(largest_error(4, "t", samples_), 0);
  EXPECT_EQ(largest_error(4, "v", vectors_), 0);
  const Recorded found = recorded(4);
  EXPECT_TRUE(found.largest.empty());
  for (const auto& entry : found.entries) EXPECT_FALSE(entry.errors);
}

TEST_F(Zfp, TheLargestErrorIsRecordedAndKept) {
  ASSERT_TRUE(write(4, "zfp-accuracy=1e-3").ok());
  const Recorded found = recorded(4);
  ASSERT_EQ(found.largest.size(), 4u);  // t, v.0, v.1, v.2
  const double of_t = found.largest.at("t").at(1), of_v = found.largest.at("v.2").at(1);
  EXPECT_GT(of_t, 0);
  EXPECT_LE(of_t, 1e-3);
  EXPECT_LE(of_v, 1e-3);
  const double measured_t = largest_error(4, "t", samples_), measured_v = largest_error(4, "v", vectors_);
  EXPECT_LE(measured_t, of_t);
  EXPECT_LE(measured_v, of_v);
  EXPECT_GE(std::max(measured_t / of_t, measured_v / of_v), 1 - 1e-6);
  double largest = 0;
  for (const auto& entry : found.entries) {
    ASSERT_TRUE(entry.errors);
    EXPECT_LE(entry.errors->rms, entry.errors->largest);
    largest = std::max(largest, static_cast<double>(entry.errors->largest));
  }
  EXPECT_EQ(largest, std::max(of_t, of_v));
}

// zfp's accuracy is no guarantee: with 1e30 in a block its neighbors are off by more than 0.1.
TEST_F(Zfp, BlocksThatMissTheBoundOrAreNotFiniteAreRaw) {
  samples_[1000] = 1e30;
  samples_[9000] = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(write(2, "zfp-accuracy=1e-6").ok());
  const Recorded found = recorded(2);
  std::vector<double> finite = samples_;
  const Dataset dataset = Dataset::open(path(2)).value();
  std::vector<double> values(finite.size());
  Query query;
  query.field = "t";
  dataset.read(query, values.data(), values.size() * sizeof(double)).check();
  EXPECT_EQ(values[1000], 1e30);
  EXPECT_TRUE(std::isnan(values[9000]));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 9000) continue;
    ASSERT_LE(std::abs(values[i] - samples_[i]), 1e-6) << i;
  }
  const auto num_raw = std::count_if(found.entries.begin(), found.entries.end(),
                                     [](const idx::BlockEntry& entry) { return entry.codec_bits() == 0; });
  EXPECT_GE(num_raw, 1);
  EXPECT_LT(num_raw, std::ssize(found.entries));
}

// Blocks are back to back, at multiples of 8 bytes.
TEST_F(Zfp, FilesHaveNoHoles) {
  ASSERT_TRUE(write(4, "zip").ok());
  for (const auto& file : fs::recursive_directory_iterator(directory_ / "4" / "run")) {
    if (!file.is_regular_file()) continue;
    const std::string bytes = read_text(*posix_store(), file.path().string(), 1 << 30).value();
    const auto part = idx::IdxPart::open(posix_store(), path(4)).value();
    const Index num_entries = part->header().blocks_per_file * std::ssize(part->header().fields);
    const auto headers =
        std::as_bytes(std::span(bytes)).first(static_cast<std::size_t>(idx::headers_bytes(num_entries, 1)));
    auto entries = idx::decode_headers(headers, num_entries, std::ssize(bytes)).value();
    std::erase_if(entries, [](const auto& entry) { return entry.absent(); });
    Index end = 4096;
    for (const idx::BlockEntry& entry : entries) {
      EXPECT_EQ(entry.offset_bytes, end);
      end = (end + entry.size_bytes + 7) / 8 * 8;
    }
    EXPECT_EQ(std::ssize(bytes), end);
  }
}

TEST(CompressionOptions, WhatCannotBeCompressedIsAnErrorBeforeTheFirstStep) {
  using Texts = std::map<std::string, std::string>;
  const std::vector<std::tuple<Texts, Code, std::string>> cases{
      {{{"compression", "zfp-accuracy=1e-3"}}, Code::kUnsupported, "field 'mask'"},  // uint8
      {{{"compression", "zip"}, {"aggregate", "false"}, {"checksums", "false"}},
       Code::kInvalidArgument,
       "aggregate=false"},
  };
  for (const auto& [options, code, words] : cases) {
    const auto store = memory_store();
    RunPlan run;
    run.options = options;
    run.n_ranks = 3;
    const Status status = write_all(store, run);
    EXPECT_EQ(status.code(), code);
    EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
    EXPECT_TRUE(all_files(*store, ".").empty());
  }
}

}  // namespace
}  // namespace esker
