// More than 2 GiB in a file, in an array and in the messages of a rank: two ranks, one float32 field.
// Needs some 6 GiB of memory and 5 GiB of disk; run by its label, `long`.
#include <gtest/gtest.h>

#include <vector>

#include "esker/esker.hpp"
#include "support/mpi_fixture.h"

namespace esker {
namespace {

constexpr Index kNx = 1024, kNy = 1024, kNz = 576;  // 2.25 GiB

/// Exact in float32, and different for 2^24 neighbours; detects offsets that are wrong by 2 or 4 GiB, too.
float sample(Index number) {
  constexpr Index kPrime = 16777213;
  return static_cast<float>(number % kPrime);
}

class LargeTest : public testing_support::MpiTest {};

TEST_F(LargeTest, AFileAndAPatchOfMoreThanTwoGiBAreWrittenAndReadBack) {
  Options options;
  options.report = "none";
  options.bits_per_block = 18;
  options.blocks_per_file = 1 << 16;
  options.memory_budget_bytes = Index{256} << 20;
  Writer writer = Writer::create(path("run.idx"), comm_, options).value();
  const DimId x = writer.def_dim("x", kNx).value();
  const DimId y = writer.def_dim("y", kNy).value();
  const DimId z = writer.def_dim("z", kNz).value();
  const GridId grid = writer.def_grid("xyz", {x, y, z}).value();
  const FieldId field = writer.def_field(grid, "temp", SampleType::kFloat32).value();

  // The last rank holds nearly all, so that it moves more than 2 GiB to others: rank 0 writes everything.
  const Index cut = comm_.size() == 1 ? 0 : 4;
  const Index lo = is_last_rank() ? cut : 0;
  const Index hi = is_last_rank() ? kNz : (comm_.rank() == 0 ? cut : 0);
  std::vector<float> samples(static_cast<std::size_t>(kNx * kNy * (hi - lo)));
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = sample(kNx * kNy * lo + static_cast<Index>(i));
  if (is_last_rank()) {
    ASSERT_GT(samples.size() * sizeof(float), std::size_t{1} << 31);
  }
  writer.begin_step(0).check();
  if (!samples.empty())
    writer.put(field, Patch::dense(Box{{0, 0, lo}, {kNx, kNy, hi}}, samples.data())).check();
  writer.end_step().check();
  EXPECT_EQ(writer.last_step().files, 1);
  EXPECT_GT(writer.last_step().stored_bytes, Index{1} << 31);
  writer.close().check();

  // The rank that held nearly all samples reads all at once, so that a buffer is larger than 2 GiB, too.
  if (!is_last_rank()) return;
  std::vector<float>().swap(samples);
  samples.resize(static_cast<std::size_t>(kNx * kNy * kNz));
  Dataset::open(path("run.idx"))
      .value()
      .read({.field = "temp"}, samples.data(), samples.size() * sizeof(float))
      .check();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ASSERT_EQ(samples[i], sample(static_cast<Index>(i))) << i;
  }
}

}  // namespace
}  // namespace esker
