// Plans in partitions: costs that do not depend on the number of partitions.
#include <gtest/gtest.h>

#include "cubes.h"

namespace esker {
namespace {

using testing_support::plan_cubes;
using testing_support::process_grid;

PlanReport plan_in_partitions(Index n_ranks, Index block, int n_fields, const Options& options) {
  return plan_cubes(process_grid(n_ranks), {block, block, block, 1, 1}, n_fields, options).value();
}

void expect_equal(const OverRanks& found, const OverRanks& expected) {
  EXPECT_EQ(found.min, expected.min);
  EXPECT_EQ(found.max, expected.max);
  EXPECT_DOUBLE_EQ(found.mean, expected.mean);
}

/// A plan in `n` partitions of 8 files, in which each rank does as much as in `reference`, and nothing but
/// the coarse part crosses a border.
void expect_like(const PlanReport& reference, int n, const PlanReport& report) {
  const PartitionTraffic &found = report.in_partitions, &expected = reference.in_partitions;
  EXPECT_EQ(found.partitions, n);
  EXPECT_EQ(report.files, 8 * n);
  expect_equal(found.messages, expected.messages);
  expect_equal(found.senders, expected.senders);
  expect_equal(found.sent_bytes, expected.sent_bytes);
  expect_equal(found.buffer_bytes, expected.buffer_bytes);
  EXPECT_EQ(found.crossing_messages, 0);
  EXPECT_EQ(found.crossing_bytes, 0);
}

// The series of docs/guide/planning.md on an eighth of the ranks, to 16 partitions.
TEST(PlanInPartitions, MessagesFanInAndMemoryDoNotGrowWithTheRanks) {
  Options options;
  options.bits_per_block = 12;
  for (const int max_fan_in : {0, 32}) {
    options.max_fan_in = max_fan_in;
    options.set("partitions", "size:256").check();
    const PlanReport one = plan_in_partitions(256, 32, 32, options);
    EXPECT_EQ(one.in_partitions.partitions, 1);
    EXPECT_EQ(one.files, 8);
    for (int n = 2; n <= 16; n *= 2) {
      SCOPED_TRACE(n);
      const PlanReport report = plan_in_partitions(256 * n, 32, 32, options);
      expect_like(one, n, report);
      EXPECT_GT(report.in_partitions.coarse_bytes, 0);
    }
  }
}

class PlanOfBricks : public testing::TestWithParam<PartitionIndex> {};

// The same with hybrid blocks, and with separate files: no sample crosses a border, and there is no coarse
// part.
TEST_P(PlanOfBricks, HasNoCoarsePart) {
  Options options;
  options.bits_per_block = 12;
  options.partition_index = GetParam();
  options.set("partitions", "size:256").check();
  const PlanReport two = plan_in_partitions(512, 32, 32, options);
  for (int n = 2; n <= 16; n *= 2) {
    SCOPED_TRACE(n);
    const PlanReport report = plan_in_partitions(256 * n, 32, 32, options);
    expect_like(two, n, report);
    EXPECT_EQ(report.in_partitions.coarse_messages, 0);
    EXPECT_EQ(report.in_partitions.coarse_bytes, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PlanOfBricks,
                         testing::Values(PartitionIndex::kHybrid, PartitionIndex::kLocal),
                         [](const auto& test) {
                           return test.param == PartitionIndex::kHybrid ? "Hybrid" : "Local";
                         });

TEST(PlanInPartitions, RefusesNodesAndTooManyPartitions) {
  Options options;
  options.set("partitions", "nodes:2").check();
  const auto unknown = plan_cubes({2, 2, 2, 1, 1}, {8, 8, 8, 1, 1}, 1, options);
  EXPECT_NE(unknown.status().message().find("the nodes are unknown here"), std::string::npos);
  options.set("partitions", "9").check();
  const auto too_many = plan_cubes({2, 2, 2, 1, 1}, {8, 8, 8, 1, 1}, 1, options);
  EXPECT_NE(too_many.status().message().find("there are only 8 ranks"), std::string::npos);
}

}  // namespace
}  // namespace esker
