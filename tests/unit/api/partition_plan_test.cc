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
      EXPECT_EQ(report.in_partitions.partitions, n);
      EXPECT_EQ(report.files, 8 * n);
      expect_equal(report.in_partitions.messages, one.in_partitions.messages);
      expect_equal(report.in_partitions.senders, one.in_partitions.senders);
      expect_equal(report.in_partitions.sent_bytes, one.in_partitions.sent_bytes);
      expect_equal(report.in_partitions.buffer_bytes, one.in_partitions.buffer_bytes);
      EXPECT_EQ(report.in_partitions.crossing_messages, 0);
      EXPECT_EQ(report.in_partitions.crossing_bytes, 0);
      EXPECT_GT(report.in_partitions.coarse_bytes, 0);
    }
  }
}

// The same with hybrid blocks: no sample crosses a border, and there is no coarse part.
TEST(PlanInPartitions, HybridBlocksHaveNoCoarsePart) {
  Options options;
  options.bits_per_block = 12;
  options.partition_index = PartitionIndex::kHybrid;
  options.set("partitions", "size:256").check();
  const PlanReport two = plan_in_partitions(512, 32, 32, options);
  for (int n = 2; n <= 16; n *= 2) {
    SCOPED_TRACE(n);
    const PlanReport report = plan_in_partitions(256 * n, 32, 32, options);
    EXPECT_EQ(report.in_partitions.partitions, n);
    EXPECT_EQ(report.files, 8 * n);
    expect_equal(report.in_partitions.messages, two.in_partitions.messages);
    expect_equal(report.in_partitions.senders, two.in_partitions.senders);
    expect_equal(report.in_partitions.sent_bytes, two.in_partitions.sent_bytes);
    expect_equal(report.in_partitions.buffer_bytes, two.in_partitions.buffer_bytes);
    EXPECT_EQ(report.in_partitions.crossing_messages, 0);
    EXPECT_EQ(report.in_partitions.crossing_bytes, 0);
    EXPECT_EQ(report.in_partitions.coarse_messages, 0);
    EXPECT_EQ(report.in_partitions.coarse_bytes, 0);
  }
}

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
