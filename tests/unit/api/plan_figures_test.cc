// The figures of docs/guide/planning.md: ranks with 30^3 samples each, on near-cubic grids of 2^n ranks.
#include <gtest/gtest.h>

#include "cubes.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: cubes

PlanReport plan_30(Index n_ranks, int n_fields, const Options& options) {
  return plan_cubes(process_grid(n_ranks), {30, 30, 30, 1, 1}, n_fields, options).value();
}

struct Series {
  const char* restructure;
  Index first_equal;  ///< number of ranks from which on boxes, receivers and the ratio of volumes are equal
  std::vector<Index> boxes;  ///< at 1024, 2048 ... ranks
};

void expect_series(const Series& series) {
  Options options;
  options.bits_per_block = 15;
  options.restructure = Restructure::parse(series.restructure).value();
  const double extent = series.restructure == std::string("default") ? 32 : 64;
  Index n_ranks = 1024;
  for (const Index boxes : series.boxes) {
    const PlanReport report = plan_30(n_ranks, 1, options);
    const double ratio = static_cast<double>(n_ranks) * 27000 / (extent * extent * extent);
    EXPECT_DOUBLE_EQ(report.volume_ratio, ratio) << n_ranks;
    EXPECT_EQ(report.boxes, boxes) << n_ranks;
    EXPECT_EQ(report.receivers, boxes) << n_ranks;  // no rank receives two boxes
    EXPECT_EQ(static_cast<double>(boxes) == ratio, n_ranks >= series.first_equal) << n_ranks;
    EXPECT_GE(static_cast<double>(boxes), ratio);
    n_ranks *= 2;
  }
}

TEST(PlanFigures, DefaultBoxes) { expect_series({"default", 4096, {960, 1800, 3375, 6750}}); }

TEST(PlanFigures, ExpandedBoxes) { expect_series({"expanded", 32768, {128, 256, 512, 960, 1800, 3375}}); }

// 16 fields, 2^15 samples per block: as many aggregators as files of all fields.
TEST(PlanFigures, AggregatorsAreFilesTimesFields) {
  for (const auto& [per_file, first] : {std::pair(256, 64), std::pair(512, 32)}) {
    Options options;
    options.bits_per_block = 15;
    options.blocks_per_file = per_file;
    int expected = first;
    for (Index n_ranks = 1024; n_ranks <= 8192; n_ranks *= 2, expected *= 2) {
      const PlanReport report = plan_30(n_ranks, 16, options);
      EXPECT_EQ(report.aggregators, expected) << n_ranks;
      EXPECT_EQ(report.files * 16, expected) << n_ranks;
      EXPECT_EQ(report.bits_per_block, 15);
      EXPECT_EQ(report.blocks_per_file, per_file);
    }
  }
}

TEST(PlanFigures, OtherFormatsHaveNoBlocks) {
  Options options;
  options.format = "cdf5";
  const PlanReport report = plan_30(8, 1, options);
  EXPECT_EQ(report.bits_per_block, 0);
  EXPECT_EQ(report.blocks_per_file, 0);
}

// Bytes per aggregator of one float64 field.
TEST(PlanFigures, Bursts) {
  Options options;
  for (const Index extent : {Index{512}, Index{1024}, Index{2048}}) {
    for (int aggregators = 128; aggregators <= 4096; aggregators *= 2) {
      options.aggregators = aggregators;
      const Index block = extent / 16;
      const PlanReport report =
          plan_cubes({16, 16, 16, 1, 1}, {block, block, block, 1, 1}, 1, options).value();
      EXPECT_EQ(report.burst_bytes, extent * extent * extent * 8 / aggregators);
    }
  }
}

PlanReport plan_irregular(const Point& parts, const Point& block, const char* restructure) {
  Options options;
  options.bits_per_block = 15;
  options.restructure = Restructure::parse(restructure).value();
  return plan_cubes(parts, block, 4, options).value();
}

/// Messages of less than 32 KiB.
Index small_to_aggregators(const PlanReport& report) {
  Index count = 0;
  for (const MessageBin& bin : report.message_sizes) {
    count += bin.least_bytes < 32768 ? bin.to_aggregators : 0;
  }
  return count;
}

// Patches that are not a power of two: there are no small messages to aggregators, and with many patches per
// box there are fewer messages in total.
TEST(PlanFigures, RestructuringRemovesSmallMessages) {
  const Point cubes{16, 16, 16, 1, 1}, block{30, 30, 30, 1, 1};
  EXPECT_GT(small_to_aggregators(plan_irregular(cubes, block, "off")), 10000);
  EXPECT_LT(small_to_aggregators(plan_irregular(cubes, block, "default")), 500);
  const Point parts{8, 8, 8, 1, 1}, bar{15, 33, 71, 1, 1};
  const double straight = plan_irregular(parts, bar, "off").messages.mean;
  EXPECT_LT(plan_irregular(parts, bar, "default").messages.mean, straight / 2);
  EXPECT_LT(plan_irregular(parts, bar, "expanded").messages.mean, straight / 4);
}

}  // namespace
}  // namespace esker
