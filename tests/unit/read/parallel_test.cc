// esker::Reader on ranks that are threads, on one node and on several.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "esker/esker.hpp"
#include "support/reading.h"
#include "support/thread_comm.h"
#include "support/tuned_runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario

constexpr Index kNx = 37, kNy = 29, kNz = 11;

struct Case {
  std::string name, path;
  std::vector<std::pair<std::string, std::string>> options;
};

class ParallelRead : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("esker-read-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_);
    path_ = (directory_ / GetParam().path).string();
    write();
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  static void put(Writer& writer, FieldId id, Index step) {
    const Field& field = writer.schema().fields()[id.index];
    const Box box = writer.schema().box_of(writer.schema().grids()[field.grid]);
    memory_of_test.push_back(std::make_unique<PatchMemory>(field, id.index, step, box, 0));
    writer.put(id, memory_of_test.back()->patch()).check();
  }

  void write() const {
    Options options;
    for (const auto& [name, value] : GetParam().options) options.set(name, value).check();
    Writer writer = Writer::create(path_, Communicator::serial(), options).value();
    const DimId x = writer.def_dim("x", kNx).value(), y = writer.def_dim("y", kNy).value(),
                z = writer.def_dim("z", kNz).value();
    const GridId volume = writer.def_grid("xyz", {x, y, z}).value();
    const GridId plane = writer.def_grid("xy", {x, y}).value();
    const FieldId temp = writer.def_field(volume, "temp", SampleType::kFloat64).value();
    const FieldId vel = writer.def_field(volume, "vel", SampleType::kFloat32, {.components = 3}).value();
    const FieldId topg = writer.def_field(plane, "topg", SampleType::kInt16, {.fixed = true}).value();
    for (Index step = 0; step < 3; ++step) {
      writer.begin_step(static_cast<double>(step)).check();
      put(writer, temp, step);
      put(writer, vel, step);
      if (step == 0) put(writer, topg, step);
      writer.end_step().check();
      memory_of_test.clear();
    }
    writer.close().check();
  }

  /// The requests of a rank of `n`: its brick with a ghost layer, so that boxes overlap; on every other rank
  /// all of a map; and coarse levels.
  static void ask(Wanted& wanted, const Dataset& dataset, int rank, int n, Index step) {
    const Box brick = BrickDecomposition::near_cubic(3, {kNx, kNy, kNz}, n).value().box(rank);
    Box halo = brick;
    for (int a = 0; a < 3; ++a) {
      halo.lo[a] = std::max<Index>(0, halo.lo[a] - 1);
      halo.hi[a] = std::min<Index>(std::array{kNx, kNy, kNz}[static_cast<std::size_t>(a)], halo.hi[a] + 1);
    }
    const auto shape = static_cast<unsigned>(rank);
    wanted.ask("temp", step, halo, shape);
    wanted.ask("vel", step, brick, shape + 1);
    if (rank % 2 == 0) wanted.ask("topg", -1, Box({0, 0}, {kNx, kNy}), shape);
    const int finest = dataset.max_level("temp").value();
    for (const int below : {1, 4}) wanted.ask_level("temp", step, brick, finest - below);
  }

  void read(const std::vector<int>& nodes, const Options& options,
            const ReadReport* expected = nullptr) const {
    run_ranks(nodes, [&](const Communicator& comm) {
      Reader reader = Reader::open(path_, comm, options).value();
      for (int turn = 0; turn < 3; ++turn) {
        Wanted wanted(reader);
        ask(wanted, reader.dataset(), comm.rank(), comm.size(), turn);
        const Status status = reader.read();
        ASSERT_TRUE(status.ok()) << status.message();
        wanted.compare();
        const ReadReport& report = reader.last_read();
        EXPECT_GT(report.data_bytes, 0);
        EXPECT_LE(report.buffer_bytes, options.memory_budget_bytes);
        if (!expected) continue;
        EXPECT_EQ(report.aggregated, expected->aggregated);
        EXPECT_EQ(report.planned, expected->aggregated && turn == 0) << turn;
      }
      reader.read().check();  // no rank has a request
    });
  }

  /// Reads `n_reads` times on four ranks and compares; what tuning reports.
  TuningRecord read_tuned(const std::string& tune, Index n_reads) const {
    Options options;
    options.set("tune", tune).check();
    options.set("tune_cache", "false").check();
    std::array<std::string, 4> texts;
    run_ranks({0, 0, 1, 1}, [&](const Communicator& comm) {
      Reader reader = Reader::open(path_, comm, options).value();
      for (Index turn = 0; turn < n_reads; ++turn) {
        Wanted wanted(reader);
        ask(wanted, reader.dataset(), comm.rank(), comm.size(), turn % 3);
        const Status status = reader.read();
        ASSERT_TRUE(status.ok()) << status.message();
        wanted.compare();
      }
      texts[static_cast<std::size_t>(comm.rank())] = reader.tuning_json().value();
    });
    for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
    return parse_tuning(texts[0]).value();
  }

  static Options reading(std::optional<bool> aggregate) {
    Options options;
    options.aggregate_reads = aggregate;
    return options;
  }

  static inline thread_local std::vector<std::unique_ptr<PatchMemory>> memory_of_test;
  std::filesystem::path directory_;
  std::string path_;
};

TEST_P(ParallelRead, EachRankGetsItsRequestsInTwoPhases) {
  ReadReport expected;
  expected.aggregated = true;
  for (const int n : {1, 2, 3, 4, 7}) {
    SCOPED_TRACE(n);
    read(std::vector<int>(static_cast<std::size_t>(n), 0), reading(true), &expected);
  }
}

TEST_P(ParallelRead, EachRankGetsItsRequestsOnSeveralNodes) {
  for (const auto& nodes : {std::vector<int>{0, 1}, {0, 0, 1, 1}, {0, 0, 0, 1, 1, 2, 2}, {0, 1, 0, 1, 0}}) {
    read(nodes, reading(true));
    read(nodes, reading(std::nullopt));
  }
}

TEST_P(ParallelRead, EachRankGetsItsRequestsInOnePhase) {
  const ReadReport expected;
  for (const int n : {1, 4}) {
    read(std::vector<int>(static_cast<std::size_t>(n), 0), reading(false), &expected);
  }
}

// Two ranks request parts of the same block.
TEST_P(ParallelRead, AggregatesRawBlocksOnlyAcrossNodesOrToVerify) {
  const auto aggregates = [&](const std::vector<int>& nodes, bool verify) {
    std::atomic<int> aggregated = 0;
    run_ranks(nodes, [&](const Communicator& comm) {
      Reader reader = Reader::open(path_, comm, Options(), {.verify = verify}).value();
      Wanted wanted(reader);
      wanted.ask("temp", 1, Box({3 + 2 * comm.rank(), 4, 2}, {5 + 2 * comm.rank(), 6, 3}), 0);
      reader.read().check();
      wanted.compare();
      aggregated += reader.last_read().aggregated ? 1 : 0;
    });
    return aggregated == 2;
  };
  const std::string& kind = GetParam().name;
  EXPECT_EQ(aggregates({0, 0}, false), kind == "Netcdf4");  // through the library, in whole chunks
  EXPECT_EQ(aggregates({0, 0}, true), kind != "Cdf5");
  EXPECT_TRUE(aggregates({0, 1}, false));
}

TEST_P(ParallelRead, EachRankGetsItsRequestsByMessagesAndInASmallBudget) {
  Options options = reading(true);
  for (const char* transport : {"get", "messages"}) {
    options.set("transport", transport).check();
    read({0, 0, 0, 0, 0}, options);
  }
  options.set("memory_budget", "100K").check();
  options.set("aggregators", "2").check();
  read({0, 0, 0, 0}, options);
  options.set("transport", "auto").check();
  read({0, 0, 0, 0}, options);
}

TEST_P(ParallelRead, LoadsOnlyRequestedPieces) {
  run_ranks(4, [&](const Communicator& comm) {
    Options options = reading(true);
    options.set("aggregators", "4").check();
    Reader reader = Reader::open(path_, comm, options).value();
    Wanted wanted(reader);
    if (comm.rank() == 1) wanted.ask("temp", 1, Box({3, 4, 2}, {5, 6, 3}), 0);
    if (comm.rank() == 2) wanted.ask("temp", 1, Box({4, 4, 2}, {6, 6, 3}), 1);
    reader.read().check();
    wanted.compare();
    EXPECT_EQ(reader.last_read().data_bytes, 2 * 4 * 8);
    EXPECT_LT(reader.last_read().loaded_bytes, kNx * kNy * kNz * 8 / 2);
  });
}

// From all samples to 1/64 of them: the load of each reader differs from the mean by at most one piece, and
// the number of readers is the same if there are enough pieces.
TEST_P(ParallelRead, TheLoadIsBalancedAtEachLevel) {
  Options options = reading(true);
  options.set("memory_budget", "64K").check();
  constexpr double kPieceBytes = 4096;  // 1/16 of it
  for (const int readers : {1, 2, 4}) {
    options.set("aggregators", std::to_string(readers)).check();
    run_ranks(std::vector<int>(5, 0), [&](const Communicator& comm) {
      Reader reader = Reader::open(path_, comm, options).value();
      const Box brick = BrickDecomposition::near_cubic(3, {kNx, kNy, kNz}, 5).value().box(comm.rank());
      for (int below = 0; below <= 6; ++below) {
        SCOPED_TRACE(below);
        Wanted wanted(reader);
        for (const char* field : {"temp", "vel"}) {
          wanted.ask_level(field, 1, brick, reader.dataset().max_level(field).value() - below);
        }
        const Status status = reader.read();
        ASSERT_TRUE(status.ok()) << status.message();
        wanted.compare();
        const ReadReport& report = reader.last_read();
        const auto loaded = static_cast<double>(report.loaded_bytes);
        EXPECT_LE(report.readers, readers);
        if (loaded >= kPieceBytes * readers) {
          EXPECT_EQ(report.readers, readers);
        }
        const double mean = loaded / report.readers;
        EXPECT_LE(static_cast<double>(report.most_loaded_bytes), mean + kPieceBytes);
        EXPECT_GE(static_cast<double>(report.least_loaded_bytes), mean - kPieceBytes);
      }
    });
  }
}

// A level has as many readers as the finest level: here one per 4 MiB of all samples.
TEST(ParallelReadOfLevels, HaveTheReadersOfAllSamples) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("esker-levels-" + std::to_string(::getpid()) + ".nc"))
          .string();
  Options writing;
  writing.set("format", "cdf5").check();
  writing.set("report", "none").check();
  Writer writer = Writer::create(path, Communicator::serial(), writing).value();
  const DimId x = writer.def_dim("x", 128).value(), y = writer.def_dim("y", 128).value(),
              z = writer.def_dim("z", 128).value();
  const GridId grid = writer.def_grid("xyz", {x, y, z}).value();
  for (const char* name : {"a", "b", "c", "d"}) writer.def_field(grid, name, SampleType::kFloat32).value();
  const std::vector<float> values(128 * 128 * 128, 1.5F);
  writer.begin_step(0).check();
  for (int f = 0; f < 4; ++f) {
    writer.put(FieldId{f}, Patch::dense(Box({0, 0, 0}, {128, 128, 128}), values.data())).check();
  }
  writer.end_step().check();
  writer.close().check();
  Options options;
  options.aggregate_reads = true;
  run_ranks(4, [&](const Communicator& comm) {
    Reader reader = Reader::open(path, comm, options).value();
    for (const int below : {0, 1, 2, 3, 6}) {
      std::vector<std::vector<float>> memory(4, std::vector<float>(values.size() >> below));
      for (int f = 0; f < 4; ++f) {
        const std::string name(1, static_cast<char>('a' + f));
        const int level = reader.dataset().max_level(name).value() - below;
        std::vector<float>& out = memory[static_cast<std::size_t>(f)];
        reader.request({.field = name, .level = level}, out.data(), out.size() * sizeof(float)).check();
      }
      reader.read().check();
      EXPECT_EQ(memory[3].back(), 1.5F);
      EXPECT_EQ(reader.last_read().readers, 4) << below;
      EXPECT_EQ(reader.last_read().most_loaded_bytes, reader.last_read().least_loaded_bytes) << below;
    }
  });
  std::filesystem::remove(path);
}

TEST_P(ParallelRead, AnInvalidRequestOfOneRankFailsOnAllAndTheNextReadSucceeds) {
  for (const bool aggregate : {true, false}) {
    run_ranks(3, [&](const Communicator& comm) {
      Reader reader = Reader::open(path_, comm, reading(aggregate)).value();
      {
        Wanted wanted(reader);
        ask(wanted, reader.dataset(), comm.rank(), comm.size(), 0);
        double sample = 0;
        if (comm.rank() == 1) {
          const auto outside = MutablePatch::dense(Box({kNx, 0, 0}, {kNx + 1, 1, 1}), &sample);
          EXPECT_EQ(reader.request("temp", 0, outside).code(), Code::kOutOfRange);
        }
        const Status status = reader.read();
        EXPECT_EQ(status.code(), Code::kOutOfRange);
        EXPECT_NE(status.message().find("rank 1"), std::string::npos) << status.message();
        EXPECT_NE(status.message().find("temp"), std::string::npos) << status.message();
      }
      Wanted wanted(reader);
      ask(wanted, reader.dataset(), comm.rank(), comm.size(), 0);
      reader.read().check();
      wanted.compare();
    });
  }
}

TEST_P(ParallelRead, AFileThatOneReaderCannotReadFailsOnAll) {
  for (const bool aggregate : {true, false}) {
    std::atomic<int> failures = 0;
    run_ranks(4, [&](const Communicator& comm) {
      Reader reader = Reader::open(path_, comm, reading(aggregate)).value();
      if (comm.rank() == 0) {  // the requested data are removed
        for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
          if (entry.path().extension() == ".bin" || entry.path().extension() == ".nc") {
            std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) / 3);
          }
        }
      }
      comm.get()->barrier();
      Wanted wanted(reader);
      ask(wanted, reader.dataset(), comm.rank(), comm.size(), 2);
      const Status status = reader.read();
      EXPECT_FALSE(status.ok());
      if (!status.ok()) ++failures;
      comm.get()->barrier();
    });
    EXPECT_EQ(failures, 4);
    TearDown();
    SetUp();
  }
}

TEST_P(ParallelRead, ABudgetThatIsTooSmallIsAnError) {
  run_ranks(2, [&](const Communicator& comm) {
    Options options = reading(true);
    options.memory_budget_bytes = 16;
    Reader reader = Reader::open(path_, comm, options).value();
    Wanted wanted(reader);
    ask(wanted, reader.dataset(), comm.rank(), comm.size(), 0);
    EXPECT_EQ(reader.read().code(), Code::kOutOfMemory);
  });
}

// Each rank gets its samples of a piece in a message. The budget must hold these and the piece, or pieces are
// smaller.
TEST_P(ParallelRead, SamplesForManyNodesFitInTheBudget) {
  std::vector<int> nodes(20);
  std::iota(nodes.begin(), nodes.end(), 0);
  run_ranks(nodes, [&](const Communicator& comm) {
    Options options = reading(true);
    options.memory_budget_bytes = 320 << 10;
    Reader reader = Reader::open(path_, comm, options).value();
    Wanted wanted(reader);
    wanted.ask("temp", 1, Box({0, 0, 0}, {kNx, kNy, kNz}), 0);
    const Status status = reader.read();
    ASSERT_TRUE(status.ok()) << status.message();
    wanted.compare();
    EXPECT_LE(reader.last_read().buffer_bytes, options.memory_budget_bytes);
  });
}

TEST_P(ParallelRead, RanksReadSeparatelyIfNoPieceFits) {
  run_ranks(std::vector<int>{0, 1}, [&](const Communicator& comm) {
    Options options = reading(std::nullopt);
    options.memory_budget_bytes = 16;
    Reader reader = Reader::open(path_, comm, options).value();
    Wanted wanted(reader);
    ask(wanted, reader.dataset(), comm.rank(), comm.size(), 0);
    const Status status = reader.read();
    ASSERT_TRUE(status.ok()) << status.message();
    wanted.compare();
    EXPECT_FALSE(reader.last_read().aggregated);
    EXPECT_LE(reader.last_read().buffer_bytes, options.memory_budget_bytes);
  });
}

std::vector<Case> cases() {
  std::vector<Case> all{{"Idx", "run.idx", {{"bits_per_block", "8"}}},
                        {"Cdf5", "run.nc", {{"format", "cdf5"}}}};
#ifdef ESKER_HAVE_HDF5
  all.push_back({"Netcdf4", "run4.nc", {{"format", "netcdf4"}, {"chunks", "10,7,4"}}});
#endif
  return all;
}

TEST_P(ParallelRead, EverySettingReadsTheSame) {
  TuningFacts facts = facts_with(4);
  facts.reads = true;
  const TuningRecord record = every_setting(facts);
  EXPECT_GE(record.changes.size(), 10U);
  const std::string replay = (directory_ / "replay.json").string();
  store_text(*posix_store(), replay, report_with(record));
  EXPECT_EQ(read_tuned("replay:" + replay, 2 + std::ssize(record.changes)).changes.size(),
            record.changes.size());
}

TEST_P(ParallelRead, ReadsThatAreTunedReturnTheSame) {
  const TuningRecord record = read_tuned("auto", 20);
  EXPECT_GT(record.default_s, 0);
  EXPECT_LE(record.probes.size(), 5U);
  const bool was_measured = !record.probes.empty() || record.state.find("settled") != std::string::npos;
  EXPECT_TRUE(was_measured) << record.state;
}

INSTANTIATE_TEST_SUITE_P(All, ParallelRead, testing::ValuesIn(cases()),
                         [](const auto& param) { return param.param.name; });

TEST(Reader, RanksMustOpenTheSamePath) {
  run_ranks(2, [&](const Communicator& comm) {
    const auto reader = Reader::open(comm.rank() == 0 ? "one.nc" : "two.nc", comm);
    EXPECT_EQ(reader.status().code(), Code::kMismatchedCall) << reader.status().message();
    const auto missing = Reader::open("/nowhere/one.nc", comm);
    EXPECT_EQ(missing.status().code(), Code::kNotFound) << missing.status().message();
  });
}

}  // namespace
}  // namespace esker
