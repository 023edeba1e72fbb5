// Writer and Dataset as a model uses them, on the ranks of an MPI job and on a real file system.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/max_part.h"
#include "esker/esker.hpp"
#include "support/mpi_fixture.h"
#include "support/scenario.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario

constexpr Index kNx = 21, kNy = 35, kNz = 9;

/// Two fields on a volume and a fixed one on its plane.
struct Model {
  FieldId temp, vel, topg;

  static Result<Model> define(Writer& writer) {
    const DimId x = writer.def_dim("x", kNx).value();
    const DimId y = writer.def_dim("y", kNy).value();
    const DimId z = writer.def_dim("z", kNz).value();
    const GridId volume = writer.def_grid("xyz", {x, y, z}).value();
    const GridId plane = writer.def_grid("xy", {x, y}).value();
    Model model;
    model.temp = writer.def_field(volume, "temp", SampleType::kFloat32).value();
    model.vel = writer.def_field(volume, "vel", SampleType::kFloat64, {.components = 2}).value();
    model.topg = writer.def_field(plane, "topg", SampleType::kInt16, {.fixed = true}).value();
    writer.put_att(model.temp, "units", "K").check();
    return model;
  }
};

/// The memory of a step's patches.
class StepMemory {
 public:
  StepMemory(Writer& writer, Index step) : writer_(writer), step_(step) {}

  Status put(FieldId id, const Box& box) {
    const Field& field = writer_.schema().fields()[id.index];
    memory_.push_back(
        std::make_unique<PatchMemory>(field, id.index, step_, box, static_cast<unsigned>(id.index + 3)));
    return writer_.put(id, memory_.back()->patch());
  }

 private:
  Writer& writer_;
  Index step_;
  std::vector<std::unique_ptr<PatchMemory>> memory_;
};

Options small_blocks() {
  Options options;
  options.bits_per_block = 7;
  options.blocks_per_file = 8;
  options.report = "none";
  return options;
}

class WriterTest : public MpiTest {
 protected:
  /// This rank's columns; only the first `active` ranks have any.
  Box box_of_rank(int rank, int active, int axes) const {
    if (rank >= active) return {};
    const auto split = BrickDecomposition::pism(2, {kNx, kNy}, active).value();
    Box box = split.box(rank);
    if (axes == 3) {
      box.rank = 3;
      box.hi[2] = kNz;
    }
    return box;
  }

  Status write_step(Writer& writer, const Model& model, int rank, int active) {
    const Index step = writer.num_steps();
    writer.begin_step(static_cast<double>(step)).check();
    StepMemory memory(writer, step);
    if (rank < active) {
      memory.put(model.temp, box_of_rank(rank, active, 3)).check();
      memory.put(model.vel, box_of_rank(rank, active, 3)).check();
      if (step == 0) memory.put(model.topg, box_of_rank(rank, active, 2)).check();
    }
    return writer.end_step();
  }

  /// A whole dataset of two steps, written by `comm`.
  void write_dataset(const std::string& file, const Communicator& comm, int active, int aggregators = 0) {
    Options options = small_blocks();
    options.aggregators = aggregators;
    write_dataset(file, comm, active, options);
  }
  void write_dataset(const std::string& file, const Communicator& comm, int active, const Options& options) {
    Writer writer = Writer::create(file, comm, options).value();
    const Model model = Model::define(writer).value();
    for (int step = 0; step < 2; ++step) write_step(writer, model, comm.rank(), active).check();
    writer.close().check();
  }

  /// The handles of Model in an existing dataset.
  static Model find(const Writer& writer) {
    return {writer.field("temp").value(), writer.field("vel").value(), writer.field("topg").value()};
  }

  /// Whether the datasets `name` and `expected`, without ".idx", have the same files. On rank 0.
  void expect_same_files(const std::string& name, const std::string& expected) {
    if (comm_.rank() != 0) return;
    const auto store = posix_store();
    const auto wanted = all_files(*store, path(expected));
    ASSERT_GT(wanted.size(), 6u);
    EXPECT_EQ(all_files(*store, path(name)).size(), wanted.size());
    for (const auto& [file, bytes] : wanted) {
      std::string same = file;
      same.replace(same.find("/" + expected + "/"), expected.size() + 2, "/" + name + "/");
      EXPECT_TRUE(read_text(*store, same, 1 << 30).value() == bytes) << same;
    }
  }

  void expect_field(const Dataset& dataset, const std::string& name, Index step) {
    const auto& fields = dataset.schema().fields();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (fields[f].name != name) continue;
      const Box box = dataset.box(name).value();
      std::vector<Point> points;
      for_each_point(box, [&](const Point& p) { points.push_back(p); });
      const auto expected = expected_samples(fields[f], static_cast<int>(f), step, points);
      std::vector<std::byte> answer(expected.size());
      const Status status = dataset.read(Query{.field = name, .step = step}, answer.data(), answer.size());
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_TRUE(answer == expected) << name << " at step " << step;
    }
  }

  void expect_steps(const std::string& file, Index n_steps) {
    const auto opened = Dataset::open(file);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    ASSERT_EQ(static_cast<Index>(opened->steps().size()), n_steps);
    for (Index step = 0; step < n_steps; ++step) {
      expect_field(*opened, "temp", step);
      expect_field(*opened, "vel", step);
    }
    if (n_steps > 0) expect_field(*opened, "topg", 0);
  }
};

TEST_F(WriterTest, EveryRankReadsWhatAllWrote) {
  write_dataset(path("run.idx"), comm_, comm_.size());
  expect_steps(path("run.idx"), 2);
  expect_steps(path("run"), 2);
  const Dataset dataset = Dataset::open(path("run.idx")).value();
  EXPECT_EQ(std::get<std::string>(dataset.schema().find_field("temp")->attributes.at("units")), "K");
}

TEST_F(WriterTest, IdleRanksAndTheRankCountDoNotChangeAByte) {
  write_dataset(path("all.idx"), comm_, comm_.size());
  write_dataset(path("idle.idx"), comm_, 1);
  write_dataset(path("writers.idx"), comm_, comm_.size(), comm_.size());
  write_dataset(path("two.idx"), comm_, comm_.size(), std::min(2, comm_.size()));
  if (comm_.rank() != 0) return;
  write_dataset(path("serial.idx"), Communicator::serial(), 1);
  for (const char* other : {"all", "idle", "writers", "two"}) expect_same_files(other, "serial");
}

TEST_F(WriterTest, OnePhaseWritesTheFilesOfTwo) {
  Options options = small_blocks();
  options.checksums = false;
  write_dataset(path("two.idx"), comm_, comm_.size(), options);
  options.aggregate = false;
  write_dataset(path("one.idx"), comm_, comm_.size(), options);
  expect_same_files("one", "two");
}

TEST_F(WriterTest, PartitionsWriteTheSameFiles) {
  Options options = small_blocks();
  options.aggregators = comm_.size();
  write_dataset(path("undivided.idx"), comm_, comm_.size(), options);
  for (const char* transport : {"auto", "messages", "put"}) {
    for (const int partitions : std::set{std::min(2, comm_.size()), comm_.size()}) {
      Options divided = options;
      divided.set("transport", transport).check();
      divided.set("partitions", std::to_string(partitions)).check();
      const std::string name = transport + std::to_string(partitions);
      write_dataset(path(name + ".idx"), comm_, comm_.size(), divided);
      expect_same_files(name, "undivided");
    }
  }
}

TEST_F(WriterTest, SeparatePartitionsHaveTheSameFilesByAllWays) {
  Options options = small_blocks();
  options.aggregators = comm_.size();
  options.partition_index = PartitionIndex::kLocal;
  for (const int partitions : std::set{std::min(2, comm_.size()), comm_.size()}) {
    options.set("partitions", std::to_string(partitions)).check();
    const std::string reference = "local" + std::to_string(partitions);
    for (const char* transport : {"auto", "messages", "put"}) {
      Options way = options;
      way.set("transport", transport).check();
      const std::string name = reference + (way.transport == Transport::kAuto ? "" : transport);
      write_dataset(path(name + ".idx"), comm_, comm_.size(), way);
      if (way.transport != Transport::kAuto) expect_same_files(name, reference);
    }
    if (comm_.rank() != 0) continue;
    const auto report = verify(path(reference + ".idx"));
    ASSERT_TRUE(report.ok()) << report.status().message();
    EXPECT_TRUE(report->good());
    EXPECT_EQ(Dataset::open(path(reference + ".idx"))->parts().front().local_partitions, partitions);
  }
}

TEST_F(WriterTest, PartsOfNetcdf4FilesAreTheSameByAllWays) {
  Options options = small_blocks();
  options.format = "netcdf4";
  if (Writer::create(path("probe"), comm_, options).status().code() == Code::kUnsupported) GTEST_SKIP();
  if (max_part_bytes() < (1 << 20)) GTEST_SKIP() << "a chunk is larger than a part of a message";
  options.partition_index = PartitionIndex::kLocal;
  options.partitions.number = 3;
  for (const char* compression : {"none", "zip"}) {
    options.compression = compression;
    const std::string reference = path(std::string(compression) + "/run.nc");
    write_dataset(reference, comm_, comm_.size(), options);
    for (const char* transport : {"messages", "put"}) {
      Options way = options;
      way.set("transport", transport).check();
      const std::string same = path(std::string(compression) + transport + "/run.nc");
      write_dataset(same, comm_, comm_.size(), way);
      if (comm_.rank() != 0) continue;
      for (const std::string file : {"run.nc", "run.nc.parts/part_0000.nc", "run.nc.parts/part_0002.nc"}) {
        const auto bytes_of = [&](const std::string& dataset) {
          return read_text(*posix_store(), std::filesystem::path(dataset).parent_path() / file, 1 << 30)
              .value();
        };
        EXPECT_TRUE(bytes_of(same) == bytes_of(reference)) << same << ": " << file;
      }
    }
    if (comm_.rank() != 0) continue;
    const auto report = verify(reference);
    ASSERT_TRUE(report.ok()) << report.status().message();
    EXPECT_TRUE(report->good());
  }
}

TEST_F(WriterTest, PatternsAndMpiIoWriteTheSameFiles) {
  Options options = small_blocks();
  options.format = "cdf5+idx";
  write_dataset(path("plain.nc"), comm_, comm_.size(), options);
  const std::vector<std::vector<std::array<const char*, 2>>> ways{
      {{"pattern", "slabs"}},
      {{"pattern", "stripes"}, {"stripe_size", "4K"}, {"stripe_count", "6"}},
      {{"storage", "mpiio"}, {"hints", "romio_ds_write=disable;cb_nodes=1"}}};
  for (std::size_t w = 0; w < ways.size(); ++w) {
    Options way = options;
    for (const auto& [name, value] : ways[w]) way.set(name, value).check();
    const std::string name = "way" + std::to_string(w);
    write_dataset(path(name + ".nc"), comm_, comm_.size(), way);
    expect_same_files(name, "plain");
    if (comm_.rank() != 0) continue;
    const auto store = posix_store();
    EXPECT_TRUE(read_text(*store, path(name + ".nc"), 1 << 30).value() ==
                read_text(*store, path("plain.nc"), 1 << 30).value())
        << name;
  }
}

TEST_F(WriterTest, TheReportHasTheEffectiveHints) {
  Options options = small_blocks();
  options.format = "cdf5";
  options.storage = Storage::kMpiIo;
  options.hints = "cb_buffer_size=1048576";
  options.report = path("report.json");
  write_dataset(path("run.nc"), comm_, comm_.size(), options);
  if (comm_.rank() != 0) return;
  const auto report = nlohmann::json::parse(read_text(*posix_store(), path("report.json"), 1 << 20).value());
  EXPECT_EQ(report["storage"]["pattern"], "contiguous");
  EXPECT_EQ(report["storage"]["hints"]["cb_buffer_size"], "1048576") << report["storage"];
}

TEST_F(WriterTest, AppendedAndRewoundRunsEndInTheFilesOfOneRun) {
  write_dataset(path("whole.idx"), comm_, comm_.size());
  {
    Writer writer = Writer::create(path("parts.idx"), comm_, small_blocks()).value();
    const Model model = Model::define(writer).value();
    write_step(writer, model, comm_.rank(), comm_.size()).check();
  }  // abandoned: its lock is released
  comm_.get()->barrier();
  for (int attempt = 0; attempt < 2; ++attempt) {
    Writer writer = Writer::append(path("parts.idx"), comm_, small_blocks()).value();
    EXPECT_EQ(writer.num_steps(), 1 + attempt);
    EXPECT_EQ(writer.schema().fields().size(), 3u);
    if (attempt == 1) {
      ASSERT_TRUE(writer.rewind(0.5).ok());
      EXPECT_EQ(writer.num_steps(), 1);
    }
    EXPECT_EQ(writer.def_dim("more", 3).status().code(), Code::kWrongOrder);
    EXPECT_EQ(writer.field("none").status().code(), Code::kNotFound);
    ASSERT_TRUE(write_step(writer, find(writer), comm_.rank(), 1).ok());
    ASSERT_TRUE(writer.close().ok());
    expect_same_files("parts", "whole");
    comm_.get()->barrier();
  }
  expect_steps(path("parts.idx"), 2);
}

TEST_F(WriterTest, ARewindInAnOpenStepIsAnErrorAndChangesNothing) {
  Writer writer = Writer::create(path("run.idx"), comm_, small_blocks()).value();
  const Model model = Model::define(writer).value();
  write_step(writer, model, comm_.rank(), comm_.size()).check();
  writer.begin_step(5).check();
  expect_everywhere(writer.rewind(-1), Code::kWrongOrder);
  expect_everywhere(writer.rewind(std::nan("")), Code::kWrongOrder);
  expect_steps(path("run.idx"), 1);
  if (comm_.size() > 1) {
    const Status status = writer.rewind(is_last_rank() ? 1 : 2);
    EXPECT_FALSE(status.ok());
  }
  EXPECT_TRUE(writer.close().ok());
  expect_steps(path("run.idx"), 1);
}

TEST_F(WriterTest, AppendingToNothingOrToALockedDatasetIsTheSameErrorOnAllRanks) {
  expect_everywhere(Writer::append(path("none.idx"), comm_).status(), Code::kNotFound);
  Writer writer = Writer::create(path("run.idx"), comm_, small_blocks()).value();
  const Model model = Model::define(writer).value();
  write_step(writer, model, comm_.rank(), comm_.size()).check();
  expect_everywhere(Writer::append(path("run.idx"), comm_).status(), Code::kAlreadyExists);
  EXPECT_TRUE(writer.close().ok());
  EXPECT_TRUE(Writer::append(path("run.idx"), comm_, small_blocks()).ok());
}

/// "run.nc", and where a link to it is: next to it, with the same stem, and in a linked directory.
struct LinkedDataset {
  std::string file, link, target, also;
  std::string format;
};

TEST_F(WriterTest, TheLockOfADatasetIsTheSameThroughSymbolicLinks) {
  const std::vector<LinkedDataset> datasets{{"a/run.idx", "a/link", "run", "a/link.idx", "idx"},
                                            {"b/run.nc", "b/link.nc", "run.nc", "b/link.nc", "cdf5"},
                                            {"c/run.h5", "c/link.h5", "run.h5", "c/link.h5", "netcdf4"},
                                            {"d/run.h5", "d/run.nc", "run.h5", "d/run.nc", "netcdf4"},
                                            {"e/run.nc", "linked", "e", "linked/run.nc", "cdf5"},
                                            {"f/run.idx", "far", "f", "far/run.idx", "idx"}};
  for (const LinkedDataset& dataset : datasets) {
    SCOPED_TRACE(dataset.file + " and " + dataset.also);
    Options options = small_blocks();
    options.set("format", dataset.format).check();
    if (Writer::create(path("probe"), comm_, options).status().code() == Code::kUnsupported) continue;
    write_dataset(path(dataset.file), comm_, comm_.size(), options);
    if (comm_.rank() == 0) std::filesystem::create_symlink(dataset.target, path(dataset.link));
    comm_.get()->barrier();
    const std::string names[] = {path(dataset.file), path(dataset.also)};
    for (const int first : {0, 1}) {
      Writer writer = Writer::append(names[first], comm_).value();
      const Status second = Writer::append(names[1 - first], comm_).status();
      expect_everywhere(second, Code::kAlreadyExists);
      EXPECT_NE(second.message().find("run.esker-lock is held"), std::string::npos) << second.message();
      const Status ended = write_step(writer, find(writer), comm_.rank(), comm_.size());
      EXPECT_TRUE(ended.ok()) << ended.message();
      EXPECT_TRUE(writer.close().ok());
    }
    comm_.get()->barrier();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
      EXPECT_EQ(entry.path().string().find(".esker-lock"), std::string::npos) << entry.path();
    }
    EXPECT_EQ(Dataset::open(path(dataset.file)).value().steps().size(), 4U);
    comm_.get()->barrier();
  }
}

TEST_F(WriterTest, APatchThatLeavesTheGridFailsTheStepOnAllRanksAndTheNextStepSucceeds) {
  Writer writer = Writer::create(path("run.idx"), comm_, small_blocks()).value();
  const Model model = Model::define(writer).value();
  for (int attempt = 0; attempt < 2; ++attempt) {
    writer.begin_step(0).check();
    StepMemory memory(writer, 0);
    const Box outside{{0, 0, 0}, {kNx + 1, 1, 1}};
    if (is_last_rank()) {
      EXPECT_EQ(memory.put(model.temp, outside).code(), Code::kOutOfRange);
    }
    const Status ended = writer.end_step();
    expect_everywhere(ended, Code::kOutOfRange);
    const bool names_rank = ended.message().starts_with("rank " + std::to_string(comm_.size() - 1) + ": ");
    EXPECT_EQ(names_rank, comm_.size() > 1) << ended.message();
    EXPECT_NE(ended.message().find("temp"), std::string::npos);
    EXPECT_NE(ended.message().find("22"), std::string::npos);
  }
  ASSERT_TRUE(write_step(writer, model, comm_.rank(), comm_.size()).ok());
  ASSERT_TRUE(writer.close().ok());
  expect_steps(path("run.idx"), 1);
}

TEST_F(WriterTest, GapsAndOverlapsNameFieldRanksAndBoxes) {
  Writer writer = Writer::create(path("run.idx"), comm_, small_blocks()).value();
  const Model model = Model::define(writer).value();
  const Box whole{{0, 0, 0}, {kNx, kNy, kNz}};
  for (const bool overlap : {false, true}) {
    writer.begin_step(0).check();
    StepMemory memory(writer, 0);
    if (comm_.rank() == 0) {
      memory.put(model.temp, whole).check();
      memory.put(model.topg, Box{{0, 0}, {kNx, kNy}}).check();
      memory.put(model.vel, overlap ? whole : Box{{0, 0, 0}, {kNx, kNy, 4}}).check();
    }
    if (overlap && is_last_rank()) memory.put(model.vel, Box{{3, 3, 3}, {5, 5, 5}}).check();
    const Status ended = writer.end_step();
    expect_everywhere(ended, Code::kInvalidArgument);
    EXPECT_NE(ended.message().find("'vel'"), std::string::npos) << ended.message();
    EXPECT_NE(ended.message().find(overlap ? "[3,5) x [3,5) x [3,5)" : "[4,9)"), std::string::npos)
        << ended.message();
  }
  writer.close().check();
  expect_steps(path("run.idx"), 0);
}

TEST_F(WriterTest, AFieldThatIsDueAndNotPutIsNamed) {
  Writer writer = Writer::create(path("run.idx"), comm_, small_blocks()).value();
  (void)Model::define(writer).value();
  writer.begin_step(0).check();
  const Status ended = writer.end_step();
  expect_everywhere(ended, Code::kInvalidArgument);
  EXPECT_NE(ended.message().find("temp"), std::string::npos);
}

TEST_F(WriterTest, DefinitionsMayFollowBeginStepOnARankThatPutsNothing) {
  Writer writer = Writer::create(path("late.idx"), comm_, small_blocks()).value();
  writer.begin_step(0).check();
  const Model model = Model::define(writer).value();
  StepMemory memory(writer, 0);
  if (comm_.rank() == 0) {
    memory.put(model.temp, box_of_rank(0, 1, 3)).check();
    memory.put(model.vel, box_of_rank(0, 1, 3)).check();
    memory.put(model.topg, box_of_rank(0, 1, 2)).check();
  }
  const Status ended = writer.end_step();
  ASSERT_TRUE(ended.ok()) << ended.message();
  ASSERT_TRUE(writer.close().ok());
  expect_steps(path("late.idx"), 1);
}

TEST_F(WriterTest, DifferentTimesAndDefinitionsAreMismatchedCalls) {
  if (comm_.size() == 1) GTEST_SKIP() << "needs two ranks to differ";
  {
    Writer writer = Writer::create(path("a.idx"), comm_, small_blocks()).value();
    const Model model = Model::define(writer).value();
    writer.begin_step(is_last_rank() ? 2.5 : 1.5).check();
    (void)model;
    expect_everywhere(writer.end_step(), Code::kMismatchedCall);
  }
  Writer writer = Writer::create(path("b.idx"), comm_, small_blocks()).value();
  (void)writer.def_dim(is_last_rank() ? "i" : "x", 4).value();
  writer.begin_step(0).check();
  const Status ended = writer.end_step();
  expect_everywhere(ended, Code::kMismatchedCall);
  EXPECT_NE(ended.message().find("i=4"), std::string::npos) << ended.message();
}

TEST_F(WriterTest, ARankThatClosesWhileOthersEndAStepIsAnErrorOnAllRanks) {
  if (comm_.size() == 1) GTEST_SKIP() << "needs two ranks to differ";
  Writer writer = Writer::create(path("run.idx"), comm_, small_blocks()).value();
  const Model model = Model::define(writer).value();
  write_step(writer, model, comm_.rank(), comm_.size()).check();
  writer.begin_step(5).check();
  Status heard;
  if (!is_last_rank()) heard = writer.end_step();
  const Status closed = writer.close();
  expect_everywhere(is_last_rank() ? closed : heard, Code::kMismatchedCall);
  expect_everywhere(closed, Code::kMismatchedCall);
  EXPECT_TRUE(writer.close().ok()) << "it is closed";
  EXPECT_FALSE(std::filesystem::exists(path("run.esker-lock")));
  expect_steps(path("run.idx"), 1);
}

TEST_F(WriterTest, ExistingDatasetsAreReplacedOnlyWhenAsked) {
  write_dataset(path("run.idx"), comm_, comm_.size());
  expect_everywhere(Writer::create(path("run.idx"), comm_, small_blocks()).status(), Code::kAlreadyExists);
  Options options = small_blocks();
  options.overwrite = true;
  Writer writer = Writer::create(path("run.idx"), comm_, options).value();
  const Model model = Model::define(writer).value();
  write_step(writer, model, comm_.rank(), 1).check();
  writer.close().check();
  expect_steps(path("run.idx"), 1);
}

TEST_F(WriterTest, NeverRemovesFilesOfOthers) {
  if (comm_.rank() == 0) {
    std::filesystem::create_directories(path("run/precious"));
    posix_store()->create_exclusive(path("run/precious/data"), "mine").check();
  }
  comm_.get()->barrier();
  Options options = small_blocks();
  options.overwrite = true;
  expect_everywhere(Writer::create(path("run.idx"), comm_, options).status(), Code::kAlreadyExists);
  EXPECT_TRUE(std::filesystem::exists(path("run/precious/data")));
}

TEST_F(WriterTest, AnUnwritableDirectoryIsTheSameErrorOnAllRanks) {
  const auto created = Writer::create("/proc/esker/run.idx", comm_, small_blocks());
  EXPECT_FALSE(created.ok());
  expect_everywhere(created.status(), created.status().code());
  EXPECT_NE(created.status().message().find("/proc/esker"), std::string::npos);
}

TEST_F(WriterTest, ComponentsWithoutAStrideAreAdjacent) {
  Writer writer = Writer::create(path("run.idx"), comm_, small_blocks()).value();
  const DimId x = writer.def_dim("x", 10).value();
  const GridId line = writer.def_grid("line", {x}).value();
  const FieldId vel = writer.def_field(line, "vel", SampleType::kFloat32, {.components = 3}).value();
  std::vector<float> samples(30);
  for (int i = 0; i < 30; ++i) samples[static_cast<std::size_t>(i)] = static_cast<float>(i);
  Patch patch;
  patch.box = Box{{0}, {10}};
  patch.data = samples.data();
  patch.stride_bytes[0] = 12;
  writer.begin_step(0).check();
  if (is_last_rank()) writer.put(vel, patch).check();
  writer.end_step().check();
  std::vector<float> answer(30);
  Dataset::open(path("run.idx")).value().read({.field = "vel"}, answer.data(), 120).check();
  EXPECT_EQ(answer, samples);
  writer.close().check();
}

TEST_F(WriterTest, OverwritingWaitsForAGoodFirstStep) {
  write_dataset(path("run.idx"), comm_, comm_.size());
  Options options = small_blocks();
  options.overwrite = true;
  Writer writer = Writer::create(path("run.idx"), comm_, options).value();
  (void)Model::define(writer).value();
  writer.begin_step(0).check();
  EXPECT_FALSE(writer.end_step().ok());  // no field was put
  expect_steps(path("run.idx"), 2);      // the old dataset is unchanged
  EXPECT_TRUE(writer.close().ok());
  expect_steps(path("run.idx"), 2);  // and remains: there is no new step to replace it
}

TEST_F(WriterTest, ALostBlockFileIsDataLossAndNotZeros) {
  write_dataset(path("run.idx"), comm_, comm_.size());
  comm_.get()->barrier();
  if (comm_.rank() == 0) std::filesystem::remove(path("run/xyz/time_0001/0000.bin"));
  comm_.get()->barrier();
  const Dataset dataset = Dataset::open(path("run.idx")).value();
  std::vector<float> answer(kNx * kNy * kNz);
  const Status status =
      dataset.read({.field = "temp", .step = 1}, answer.data(), answer.size() * sizeof(float));
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_NE(status.message().find("0000.bin"), std::string::npos) << status.message();
}

TEST_F(WriterTest, ReportsTheTrafficAndASecondStepPlansNothing) {
  Options options = small_blocks();
  options.report = path("report.json");
  Writer writer = Writer::create(path("run.idx"), comm_, options).value();
  const Model model = Model::define(writer).value();
  for (int step = 0; step < 3; ++step) write_step(writer, model, comm_.rank(), comm_.size()).check();
  const StepReport& last = writer.last_step();
  EXPECT_EQ(last.step, 2);
  EXPECT_EQ(last.data_bytes, kNx * kNy * kNz * (4 + 16));
  EXPECT_GE(last.stored_bytes, last.data_bytes);
  const std::string text = writer.report_text().value();
  EXPECT_NE(text.find("exchange"), std::string::npos);
  writer.close().check();
  const std::string json = read_text(*posix_store(), path("report.json"), 1 << 20).value();
  // Step 0 holds the fixed field, the others do not: two plans for three steps.
  EXPECT_NE(json.find("\"plans\": {\n      \"min\": 2.0,\n      \"mean\": 2.0,\n      \"max\": 2.0"),
            std::string::npos)
      << json;
}

}  // namespace
}  // namespace esker
