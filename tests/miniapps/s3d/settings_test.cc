#include "settings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/command_line.h"

namespace s3d {
namespace {

using esker::testing_support::Arguments;
using esker::testing_support::expect_wrong_usage;

Command parse(const Arguments& arguments) {
  return esker::testing_support::parse_arguments(parse_command_line, arguments);
}

TEST(Settings, DefaultsAndValues) {
  const Command c =
      parse({"--out", "f.idx", "--nx", "33", "--nz", "17", "--steps", "7", "--every", "2", "--hot", "1700",
             "--checkpoint", "c.nc", "--format", "cdf5", "-o", "aggregators=2"});
  ASSERT_TRUE(c.settings) << c.text;
  const Settings& s = *c.settings;
  EXPECT_EQ(s.cells, (std::array<std::optional<Index>, 3>{33, std::nullopt, 17}));
  EXPECT_EQ(s.steps, 7);
  EXPECT_EQ(s.every, 2);
  ASSERT_TRUE(s.regions);
  EXPECT_EQ(s.regions->hot, 1700);
  EXPECT_EQ(s.regions->warm, 1200);
  EXPECT_EQ(s.output_options.format, "idx");
  EXPECT_EQ(s.output_options.aggregators, 2);
  EXPECT_EQ(s.checkpoint_options.format, "cdf5");
  EXPECT_EQ(s.checkpoint_options.aggregators, 2);
}

TEST(Settings, SmallBlocksFollowTheSheetsUnlessGiven) {
  const Command c = parse({"--out", "f.idx"});
  ASSERT_TRUE(c.settings) << c.text;
  EXPECT_EQ(c.settings->output_options.bits_per_block, 9);
  EXPECT_EQ(c.settings->checkpoint_options.bits_per_block, 0);
  const Command given = parse({"--out", "f.idx", "-o", "bits_per_block=12"});
  ASSERT_TRUE(given.settings) << given.text;
  EXPECT_EQ(given.settings->output_options.bits_per_block, 12);
}

TEST(Settings, StoredBitsAreThoseOfTheAdaptiveDataset) {
  const Command c = parse({"--out", "f.idx", "-o", "stored_bits=8", "-o", "aggregators=2"});
  ASSERT_TRUE(c.settings) << c.text;
  EXPECT_EQ(c.settings->stored_bits, 8);
  EXPECT_FALSE(c.settings->regions);
  EXPECT_EQ(c.settings->output_options.aggregators, 2);
}

TEST(Settings, KeepNoneStoresAll) {
  const Command c = parse({"--out", "f.idx", "--keep", "none"});
  ASSERT_TRUE(c.settings) << c.text;
  EXPECT_FALSE(c.settings->regions);
}

TEST(Settings, HelpHasExamplesAndExitStatus0) {
  const Command c = parse({"--help"});
  EXPECT_FALSE(c.settings);
  EXPECT_EQ(c.exit_code, 0);
  EXPECT_NE(c.text.find("mpiexec -n 4 esker-s3d"), std::string::npos);
}

TEST(Settings, WrongUsageHasExitStatus2) {
  const std::vector<Arguments> wrong = {
      {},
      {"--restart", "c.nc"},
      {"--out", "f.idx", "--nx", "7"},
      {"--out", "f.idx", "--steps", "-1"},
      {"--out", "f.idx", "--every", "0"},
      {"--out", "f.idx", "--keep", "some"},
      {"--out", "f.idx", "--hot", "1000"},
      {"--out", "f.idx", "--checkpoint", "f.idx"},
      {"--out", "f.idx", "--verify"},
      {"--out", "f.idx", "-o", "aggregators"},
      {"--out", "f.idx", "-o", "no_such=1"},
      {"--checkpoint", "c.nc", "--format", "grib"},
      {"--out", "f.idx", "-o", "stored_bits=3"},
      {"--checkpoint", "c.idx", "-o", "stored_bits=8"},
      {"--out", "f.idx", "--keep", "rules", "-o", "stored_bits=8"},
  };
  expect_wrong_usage(parse, wrong);
}

}  // namespace
}  // namespace s3d
