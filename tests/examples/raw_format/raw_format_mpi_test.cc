// The example format under MPI: written with Writer, read with Dataset and Reader, as by any program.
#include <gtest/gtest.h>

#include "esker/esker.hpp"
#include "examples/raw_format/raw_format.h"
#include "store/store.h"
#include "support/mpi_fixture.h"
#include "support/reading.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario

const bool kHasRaw = raw::register_raw_format().ok();
constexpr Index kNx = 45, kNy = 34, kNz = 17, kSteps = 2;

class RawFormatTest : public MpiTest {
 protected:
  void write(const std::string& file, const Communicator& comm) {
    Options options;
    options.report = "none";
    Writer writer = Writer::create(file, comm, options).value();
    const DimId x = writer.def_dim("x", kNx).value(), y = writer.def_dim("y", kNy).value(),
                z = writer.def_dim("z", kNz).value();
    const GridId grid = writer.def_grid("xyz", {x, y, z}).value();
    const FieldId temp = writer.def_field(grid, "temp", SampleType::kFloat64).value();
    const FieldId vel = writer.def_field(grid, "vel", SampleType::kFloat32, {.components = 3}).value();
    const auto split = BrickDecomposition::near_cubic(3, {kNx, kNy, kNz}, comm.size()).value();
    for (Index step = 0; step < kSteps; ++step) {
      writer.begin_step(static_cast<double>(step)).check();
      std::vector<PatchMemory> memory;
      for (const FieldId id : {temp, vel}) {
        memory.emplace_back(writer.schema().fields()[static_cast<std::size_t>(id.index)], id.index, step,
                            split.box(comm.rank()), 3);
        writer.put(id, memory.back().patch()).check();
      }
      writer.end_step().check();
    }
    writer.close().check();
  }
};

TEST_F(RawFormatTest, RanksReadWhatRanksWrote) {
  ASSERT_TRUE(kHasRaw);
  write(path("run.raw"), comm_);
  for (const char* aggregate : {"true", "false"}) {
    Options options;
    options.set("aggregate_reads", aggregate).check();
    Reader reader = Reader::open(path("run.raw"), comm_, options).value();
    const auto columns = BrickDecomposition::pism(2, {kNx, kNy}, comm_.size()).value();
    for (Index step = 0; step < kSteps; ++step) {
      Wanted wanted(reader);
      Box box = columns.box(comm_.rank());
      box.rank = 3;
      box.hi[2] = kNz;
      wanted.ask("temp", step, box, static_cast<unsigned>(comm_.rank()));
      wanted.ask("vel", step, box, 1);
      wanted.ask_level("temp", step, box, reader.dataset().max_level("temp").value() - 3);
      const Status status = reader.read();
      ASSERT_TRUE(status.ok()) << status.message();
      wanted.compare();
    }
  }
}

TEST_F(RawFormatTest, ARankAloneReadsAllSamples) {
  write(path("run.raw"), comm_);
  const Dataset dataset = Dataset::open(path("run")).value();
  ASSERT_EQ(std::ssize(dataset.steps()), kSteps);
  const Field& field = *dataset.schema().find_field("vel");
  std::vector<Point> points;
  for_each_point(Box{{0, 0, 0}, {kNx, kNy, kNz}}, [&](const Point& p) { points.push_back(p); });
  const auto expected = expected_samples(field, 1, 1, points);
  std::vector<std::byte> found(expected.size());
  dataset.read({"vel", 1, {}, {}}, found.data(), found.size()).check();
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(verify(path("run.raw")).value().good());
}

TEST_F(RawFormatTest, TheBytesAreThoseOfASerialRun) {
  write(path("together/run.raw"), comm_);
  if (comm_.rank() != 0) return;
  write(path("alone/run.raw"), Communicator::serial());
  const auto store = posix_store();
  const auto together = all_files(*store, path("together")), alone = all_files(*store, path("alone"));
  ASSERT_EQ(together.size(), alone.size());
  for (auto a = together.begin(), b = alone.begin(); a != together.end(); ++a, ++b) {
    EXPECT_TRUE(a->second == b->second) << a->first;
  }
}

}  // namespace
}  // namespace esker
