#include "settings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/command_line.h"

namespace gcrm {
namespace {

using esker::testing_support::Arguments;
using esker::testing_support::expect_wrong_usage;

Command parse(const Arguments& arguments) {
  return esker::testing_support::parse_arguments(parse_command_line, arguments);
}

TEST(Settings, DefaultsAndValues) {
  const Command c = parse({"--output", "b.idx", "--level", "3", "--layers", "7", "--precision", "f8",
                           "--days", "2", "--dt-max", "864", "--alpha", "90", "-o", "aggregators=2"});
  ASSERT_TRUE(c.settings) << c.text;
  EXPECT_EQ(c.settings->level, 3);
  EXPECT_EQ(c.settings->bell.layers, 7);
  EXPECT_EQ(c.settings->bell.alpha_degrees, 90);
  EXPECT_EQ(c.settings->precision, ESKER_FLOAT64);
  EXPECT_DOUBLE_EQ(c.settings->transport.max_step, 0.01);
  EXPECT_EQ(c.settings->targets[0].esker.get("aggregators"), "2");
  EXPECT_EQ(c.settings->targets[0].esker.get("format"), "idx");
  EXPECT_EQ(c.settings->targets[0].esker.get("alignment"), "4K");  // stripes are for CDF files
  ASSERT_EQ(c.settings->intervals.size(), 1U);
  EXPECT_DOUBLE_EQ(c.settings->intervals[0].days, 1.0 / 24);
}

TEST(Settings, StripeAndSegmentAreOptionsOfCdfFilesUnlessGiven) {
  const Command c = parse({"--output", "b.nc", "--format", "cdf5", "--stripe", "2M", "--segment", "8M"});
  ASSERT_TRUE(c.settings) << c.text;
  EXPECT_EQ(c.settings->targets[0].esker.get("alignment"), "2M");
  EXPECT_EQ(c.settings->targets[0].esker.get("collective_buffer"), "8M");
  const Command own = parse({"--output", "b.nc", "-o", "format=cdf", "-o", "alignment=64K"});
  ASSERT_TRUE(own.settings) << own.text;
  EXPECT_EQ(own.settings->targets[0].esker.get("alignment"), "64K");
  EXPECT_EQ(own.settings->targets[0].esker.get("collective_buffer"), "4M");
}

TEST(Settings, PanelsAreASecondDatasetWithSeparateOptions) {
  const Command c =
      parse({"--output", "b.nc", "--format", "cdf5", "--panels", "c.idx", "-o", "aggregators=2"});
  ASSERT_TRUE(c.settings) << c.text;
  ASSERT_EQ(c.settings->targets.size(), 2U);
  const Target &cells = c.settings->targets[0], &panels = c.settings->targets[1];
  EXPECT_EQ(cells.path, "b.nc");
  EXPECT_EQ(cells.esker.get("format"), "cdf5");
  EXPECT_EQ(cells.esker.get("alignment"), "1M");
  EXPECT_EQ(panels.path, "c.idx");
  EXPECT_EQ(panels.esker.get("format"), "idx");
  EXPECT_EQ(panels.esker.get("alignment"), "4K");
  EXPECT_EQ(panels.esker.get("aggregators"), "2");
}

TEST(Settings, SeveralIntervalsAreSeveralRunsWithDifferentNames) {
  const Command c = parse({"--output", "a/run.nc", "--output-interval", "1/24,1/48,0.25"});
  ASSERT_TRUE(c.settings) << c.text;
  const Settings& s = *c.settings;
  ASSERT_EQ(s.intervals.size(), 3U);
  EXPECT_EQ(output_path(s, s.targets[0], s.intervals[1]), "a/run-1_48.nc");
  EXPECT_EQ(output_path(s, s.targets[0], s.intervals[2]), "a/run-0.25.nc");
  EXPECT_EQ(num_output_steps(s, s.intervals[0]), 25);
  EXPECT_EQ(num_output_steps(s, s.intervals[1]), 49);
  EXPECT_EQ(num_output_steps(s, s.intervals[2]), 5);
}

TEST(Settings, HelpHasExamplesAndExitStatus0) {
  const Command c = parse({"--help"});
  EXPECT_FALSE(c.settings);
  EXPECT_EQ(c.exit_code, 0);
  EXPECT_NE(c.text.find("mpiexec -n 4 esker-gcrm"), std::string::npos);
}

TEST(Settings, WrongUsageHasExitStatus2) {
  const std::vector<Arguments> wrong = {
      {},
      {"--output", "b.idx", "--level", "13"},
      {"--output", "b.idx", "--layers", "0"},
      {"--output", "b.idx", "--output-interval", "1/0"},
      {"--output", "b.idx", "--output-interval", "1/24h"},
      {"--output", "b.idx", "--output-interval", "-1"},
      {"--output", "b.idx", "--output-interval", "daily"},
      {"--output", "b.idx", "--days", "0"},
      {"--output", "b.idx", "--format", "grib"},
      {"--output", "b.idx", "--panels", "c.idx"},
      {"--output", "b.nc", "--format", "cdf5", "--panels", "b.idx"},
      {"--output", "b.idx", "-o", "aggregators"},
      {"--output", "b.idx", "-o", "no_such=1"},
      {"--output", "b.nc", "--format", "cdf", "--stripe", "wide"},
      {"--output", "b.idx", "--precision", "f2"},
  };
  expect_wrong_usage(parse, wrong);
}

}  // namespace
}  // namespace gcrm
