// Reader on the ranks of an MPI job: restarts on another number of ranks.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>

#include "esker/esker.hpp"
#include "support/mpi_fixture.h"
#include "support/reading.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario

constexpr Index kNx = 45, kNy = 34, kNz = 17;

class ReaderTest : public MpiTest {
 protected:
  /// The part of one of the first `active` ranks; empty for others.
  static Box part_of(int rank, int active, const BrickDecomposition& split) {
    return rank < active ? split.box(rank) : Box();
  }

  static std::vector<std::string> formats() {
#ifdef ESKER_HAVE_HDF5
    return {"idx", "cdf5", "netcdf4"};
#else
    return {"idx", "cdf5"};
#endif
  }

  /// Two steps of two fields, by the first `active` ranks, of which `rules` keep a part.
  void write(const std::string& file, const std::string& format, int active,
             const std::vector<KeepRule>& rules = {}) {
    Options options;
    options.set("format", format).check();
    options.set("report", "none").check();
    if (!rules.empty()) options.set("bits_per_block", "8").check();
    Writer writer = Writer::create(file, comm_, options).value();
    const DimId x = writer.def_dim("x", kNx).value(), y = writer.def_dim("y", kNy).value(),
                z = writer.def_dim("z", kNz).value();
    const GridId grid = writer.def_grid("xyz", {x, y, z}).value();
    const FieldId temp = writer.def_field(grid, "temp", SampleType::kFloat64).value();
    const FieldId mask = writer.def_field(grid, "mask", SampleType::kInt8).value();
    const auto split = BrickDecomposition::near_cubic(3, {kNx, kNy, kNz}, active).value();
    for (Index step = 0; step < 2; ++step) {
      writer.begin_step(static_cast<double>(step)).check();
      std::vector<PatchMemory> memory;
      for (const FieldId id : {temp, mask}) {
        if (comm_.rank() >= active) continue;
        memory.emplace_back(writer.schema().fields()[id.index], id.index, step, split.box(comm_.rank()), 3);
        writer.put(id, memory.back().patch()).check();
      }
      for (const KeepRule& rule : rules) writer.keep(grid, rule).check();
      writer.end_step().check();
    }
    writer.close().check();
  }

  void read(const std::string& file, int active, const Options& options) {
    Reader reader = Reader::open(file, comm_, options).value();
    const auto columns = BrickDecomposition::pism(2, {kNx, kNy}, active).value();
    for (Index step = 0; step < 2; ++step) {
      Wanted wanted(reader);
      if (comm_.rank() < active) {
        Box box = columns.box(comm_.rank());
        box.rank = 3;
        box.lo[0] = std::max<Index>(0, box.lo[0] - 2);
        box.hi[2] = kNz;
        wanted.ask("temp", step, box, static_cast<unsigned>(comm_.rank()));
        wanted.ask("mask", step, box, 1);
        wanted.ask_level("temp", step, box, reader.dataset().max_level("temp").value() - 3);
      }
      const Status status = reader.read();
      ASSERT_TRUE(status.ok()) << status.message();
      wanted.compare();
    }
  }
};

TEST_F(ReaderTest, OtherRanksReadThanWrote) {
  for (const std::string& format : formats()) {
    SCOPED_TRACE(format);
    const std::string file = path(format == "idx" ? "run.idx" : format + ".nc");
    write(file, format, std::min(4, comm_.size()));
    for (const int active : {1, std::min(3, comm_.size()), comm_.size()}) {
      for (const char* transport :
           {"auto", "messages", "leaders", "all_to_all", "put", "put_fence", "put_types", "get"}) {
        Options options;
        options.set("transport", transport).check();
        options.aggregate_reads = true;
        read(file, active, options);
      }
      read(file, active, {});
    }
  }
}

TEST_F(ReaderTest, SparseStepsGiveTheValuesThatOneRankAloneReads) {
  const std::string file = path("sparse.idx");
  write(file, "idx", comm_.size(),
        {KeepRule::everywhere(-9), KeepRule::inside({Box{{3, 2, 1}, {20, 17, 9}}}, -1),
         KeepRule::inside({Box{{30, 20, 5}, {45, 34, 8}}})});
  const std::vector<Box> halves{Box{{0, 0, 0}, {kNx, kNy, 9}}, Box{{5, 0, 7}, {kNx, 31, kNz}}};
  for (const bool aggregate : {true, false}) {
    Options options;
    options.aggregate_reads = aggregate;
    Reader reader = Reader::open(file, comm_, options).value();
    ASSERT_TRUE(reader.dataset().stored_samples("temp", 1).value());
    for (const auto missing : {MissingBlocks::kAuto, MissingBlocks::kFill, MissingBlocks::kNearest,
                               MissingBlocks::kLinear, MissingBlocks::kNan}) {
      Wanted wanted(reader, missing);
      const Box& box = halves[comm_.rank() % 2];
      wanted.ask("temp", 1, box, static_cast<unsigned>(comm_.rank()));
      wanted.ask_level("temp", 0, box, reader.dataset().max_level("temp").value() - 2);
      wanted.ask({.field = "temp", .step = 1, .box = box, .stride = Point{2, 3, 1}});
      if (missing != MissingBlocks::kNan) wanted.ask("mask", 1, box, 0);
      const Status status = reader.read();
      ASSERT_TRUE(status.ok()) << status.message();
      wanted.compare();
    }
    // int8 has no NaN: an error on all ranks.
    Wanted wanted(reader, MissingBlocks::kNan);
    if (is_last_rank()) wanted.ask("mask", 0, halves[0], 0);
    expect_everywhere(reader.read(), Code::kInvalidArgument);
  }
}

TEST_F(ReaderTest, ARankWithoutItsMemoryFailsTheReadOfAll) {
  write(path("run.nc"), "cdf5", 1);
  Reader reader = Reader::open(path("run.nc"), comm_).value();
  if (is_last_rank()) {
    EXPECT_FALSE(reader.request({"temp", 0}, nullptr, 7).ok());
  }
  expect_everywhere(reader.read(), Code::kInvalidArgument);
  if (is_last_rank()) reader.fail({Code::kOutOfMemory, "the model has no memory left"});
  const Status status = reader.read();
  expect_everywhere(status, Code::kOutOfMemory);
  EXPECT_NE(status.message().find("the model has no memory left"), std::string::npos);
  EXPECT_TRUE(reader.read().ok());
}

TEST_F(ReaderTest, OpeningFailsOnAllRanks) {
  const auto reader = Reader::open(path("nothing.nc"), comm_);
  expect_everywhere(reader.status(), Code::kNotFound);
  Options unknown;
  const Result<Options> options =
      is_last_rank() ? Result<Options>(Status(Code::kInvalidArgument, "no such option")) : unknown;
  expect_everywhere(Reader::open(path("nothing.nc"), comm_, options).status(), Code::kInvalidArgument);
}

// Rank 0, which opens the file, does not find it. The next collective call works as usual.
TEST_F(ReaderTest, AFailedOpeningFailsOnAllRanksAndCanBeRepeated) {
  write(path("run.idx"), "idx", comm_.size());
  const auto home = std::filesystem::current_path();
  std::filesystem::current_path(comm_.rank() == 0 ? "/" : directory_.c_str());
  Options options;
  options.set("call_timeout", "60").check();
  const auto failed = Reader::open("run.idx", comm_, options);
  std::filesystem::current_path(home);
  expect_everywhere(failed.status(), Code::kNotFound);
  read(path("run.idx"), comm_.size(), options);
}

/// The files of this machine; counts the calls.
class CountingSource final : public ByteSource {
 public:
  Result<Index> size_bytes(const std::string& path) const override {
    ++asked;
    std::error_code failed;
    const auto size = std::filesystem::file_size(path, failed);
    return failed ? Result<Index>(Status(Code::kNotFound, path)) : static_cast<Index>(size);
  }
  Status read(const std::string& path, Index offset, std::span<std::byte> bytes) const override {
    ++asked;
    std::ifstream file(path, std::ios::binary);
    file.seekg(offset).read(reinterpret_cast<char*>(bytes.data()),
                            static_cast<std::streamsize>(bytes.size()));
    return file ? Status() : Status(Code::kIoError, path);
  }
  Result<std::vector<std::string>> list(const std::string&) const override {
    ++asked;
    return Status(Code::kUnsupported, "no directories here");
  }

  mutable std::atomic<int> asked{0};
};

// In addition to the collective requests, each rank may request samples that are not a level.
TEST_F(ReaderTest, StridesAreReadByEachRank) {
  for (const std::string& format : formats()) {
    const std::string file = path(format == "idx" ? "run.idx" : format + ".nc");
    write(file, format, comm_.size());
    for (const char* aggregate : {"true", "false"}) {
      SCOPED_TRACE(format + ", aggregate_reads=" + aggregate);
      Options options;
      options.set("aggregate_reads", aggregate).check();
      Reader reader = Reader::open(file, comm_, options).value();
      Wanted wanted(reader);
      const Index stride = 2 + comm_.rank();
      if (!is_last_rank() || comm_.size() == 1) {
        wanted.ask({"temp", 1, Box({1, 2, 3}, {kNx, kNy - 3, kNz}), {}, Point{stride, 3, 1, 1, 1}});
      }
      wanted.ask("mask", 0, {{0, 0, 0}, {kNx, kNy, kNz}}, 2);
      const Status status = reader.read();
      ASSERT_TRUE(status.ok()) << status.message();
      wanted.compare();
      EXPECT_FALSE(reader.request({.field = "temp", .stride = Point{2, 2, 2, 1, 1}}, nullptr, 0).ok());
      expect_everywhere(reader.read(), Code::kInvalidArgument);
    }
  }
}

TEST_F(ReaderTest, OnlyRank0AsksTheStorageWhenAllOpen) {
  for (const std::string& format : formats()) {
    SCOPED_TRACE(format);
    const std::string file = path(format == "idx" ? "run.idx" : format + ".nc");
    write(file, format, comm_.size());
    const auto source = std::make_shared<CountingSource>();
    OpenOptions from_source;
    from_source.source = source;
    Reader reader = Reader::open(file, comm_, Options(), from_source).value();
    EXPECT_EQ(source->asked > 0, comm_.rank() == 0) << source->asked;
    Wanted wanted(reader);
    wanted.ask("temp", 1, {{0, 0, 0}, {kNx, kNy, 2}}, 0);
    const Status status = reader.read();
    ASSERT_TRUE(status.ok()) << status.message();
    wanted.compare();
  }
}

}  // namespace
}  // namespace esker
