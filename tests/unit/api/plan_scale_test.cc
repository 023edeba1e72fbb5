// A million ranks are planned on one core in a minute and 2 GiB, and the number of senders per rank is
// bounded.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>

#include "cubes.h"

namespace esker {
namespace {

struct Setting {
  const char* name;
  const char* restructure;
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

class PlanScale : public testing::TestWithParam<Setting> {};

TEST_P(PlanScale, TakesAMillionRanks) {
  Options options;
  options.bits_per_block = 15;
  options.blocks_per_file = 256;
  options.restructure = Restructure::parse(GetParam().restructure).value();
  const std::clock_t begin = std::clock();
  const auto report = testing_support::plan_cubes({100, 100, 100, 1, 1}, {30, 30, 30, 1, 1}, 16, options);
  const double cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  ASSERT_TRUE(report.ok()) << report.status().message();
  rusage usage{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  fmt::print("{}{:.1f} s, {:.0f} MiB\n", report->to_string(), cpu_s,
             static_cast<double>(usage.ru_maxrss) / 1024);
  EXPECT_LT(cpu_s, 60);
  EXPECT_LT(usage.ru_maxrss, 2L << 20);  // KiB
  EXPECT_LE(report->max_fan_in(), 4000);
  EXPECT_EQ(report->data_bytes, Index{1000000} * 27000 * 16 * 8);
}

// The series of docs/guide/planning.md to its end: boxes, receivers and aggregators.
TEST(PlanSeries, BoxesAndAggregatorsGrowWithTheRanks) {
  Index boxes = 13500;
  int aggregators = 1024;
  for (Index n_ranks = 16384; n_ranks <= 131072; n_ranks *= 2, boxes *= 2, aggregators *= 2) {
    Options options;
    options.bits_per_block = 15;
    options.blocks_per_file = 256;
    const Point parts = testing_support::process_grid(n_ranks);
    const auto all = testing_support::plan_cubes(parts, {30, 30, 30, 1, 1}, 16, options).value();
    EXPECT_EQ(all.aggregators, aggregators);
    EXPECT_EQ(all.files * 16, aggregators);
    options.restructure = Restructure::parse("default").value();
    const auto one = testing_support::plan_cubes(parts, {30, 30, 30, 1, 1}, 1, options).value();
    EXPECT_EQ(one.boxes, boxes);
    EXPECT_EQ(one.receivers, boxes);
    EXPECT_DOUBLE_EQ(one.volume_ratio, static_cast<double>(boxes));
    if (n_ranks > 65536) continue;
    options.restructure = Restructure::parse("expanded").value();
    const auto expanded = testing_support::plan_cubes(parts, {30, 30, 30, 1, 1}, 1, options).value();
    EXPECT_EQ(expanded.boxes, n_ranks == 16384 ? 1800 : boxes / 8);
    EXPECT_EQ(expanded.receivers, expanded.boxes);
  }
}

// 2048 ranks in each partition, 32 fields: 1, 2 ... 256 partitions and 8, 16 ... 2048 files.
TEST(PlanSeries, PartitionsCostTheSameAtEveryNumberOfRanks) {
  Options options;
  options.set("partitions", "size:2048").check();
  PlanReport one;
  for (Index n_ranks = 2048, n = 1; n_ranks <= 524288; n_ranks *= 2, n *= 2) {
    const Point parts = testing_support::process_grid(n_ranks);
    const auto report = testing_support::plan_cubes(parts, {32, 32, 32, 1, 1}, 32, options).value();
    if (n == 1) one = report;
    EXPECT_EQ(report.in_partitions.partitions, n);
    EXPECT_EQ(report.files, 8 * n);
    EXPECT_EQ(report.in_partitions.crossing_messages, 0);
    EXPECT_EQ(report.in_partitions.messages.max, one.in_partitions.messages.max);
    EXPECT_DOUBLE_EQ(report.in_partitions.messages.mean, one.in_partitions.messages.mean);
    EXPECT_EQ(report.in_partitions.senders.max, one.in_partitions.senders.max);
    EXPECT_EQ(report.in_partitions.buffer_bytes.max, one.in_partitions.buffer_bytes.max);
    EXPECT_DOUBLE_EQ(report.in_partitions.buffer_bytes.mean, one.in_partitions.buffer_bytes.mean);
  }
}

INSTANTIATE_TEST_SUITE_P(Boxes, PlanScale,
                         testing::Values(Setting{"Straight", "off"}, Setting{"Restructured", "default"}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace esker
