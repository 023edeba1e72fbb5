#include "settings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/command_line.h"

namespace uintah {
namespace {

using esker::testing_support::Arguments;
using esker::testing_support::expect_wrong_usage;

Command parse(const Arguments& arguments) {
  return esker::testing_support::parse_arguments(parse_command_line, arguments);
}

TEST(Settings, DefaultsAndValues) {
  const Command c = parse({"--out", "a.idx", "--patches", "3", "2", "1", "--levels", "4", "--steps", "7",
                           "--modes", "file-per-patch,flat", "--no-check", "-o", "aggregators=2"});
  ASSERT_TRUE(c.settings) << c.text;
  const Settings& s = *c.settings;
  EXPECT_EQ(s.path, "a");
  EXPECT_EQ(s.sizes.coarse_patches, (Point{3, 2, 1, 0, 0}));
  EXPECT_EQ(s.sizes.coarse_edge, 25);
  EXPECT_EQ(s.sizes.fine_edge, 12);
  EXPECT_EQ(s.sizes.num_levels, 4);
  EXPECT_EQ(s.steps, 7);
  EXPECT_EQ(s.modes, (std::vector<std::string>{"flat", "file-per-patch"}));
  EXPECT_FALSE(s.check);
  EXPECT_EQ(s.options.aggregators, 2);
}

TEST(Settings, CoarsePatchesGrowWithTheRanks) {
  EXPECT_EQ(coarse_patches_for(1), (Point{2, 2, 2, 0, 0}));
  EXPECT_EQ(coarse_patches_for(4), (Point{4, 4, 2, 0, 0}));
  EXPECT_EQ(coarse_patches_for(7), (Point{14, 2, 2, 0, 0}));
  EXPECT_EQ(coarse_patches_for(12), (Point{4, 4, 6, 0, 0}));
}

TEST(Settings, WrongUsageHasExitStatus2) {
  const std::vector<Arguments> wrong = {
      {},
      {"--out", ".idx"},
      {"--out", "a.idx", "--patches", "1", "2"},
      {"--out", "a.idx", "--patches", "0", "2", "2"},
      {"--out", "a.idx", "--fine-patch", "7"},
      {"--out", "a.idx", "--levels", "1"},
      {"--out", "a.idx", "--levels", "5"},
      {"--out", "a.idx", "--steps", "0"},
      {"--out", "a.idx", "--time-step", "0"},
      {"--out", "a.idx", "--modes", "none"},
      {"--out", "a.idx", "-o", "no_such=1"},
      {"--out", "a.idx", "-o", "format=cdf5"},
  };
  expect_wrong_usage(parse, wrong);
}

TEST(Settings, AnotherFormatThanIdxIsNamed) {
  const Command c = parse({"--out", "a.idx", "-o", "format=netcdf4"});
  EXPECT_NE(c.text.find("-o format=netcdf4: esker-uintah writes only idx"), std::string::npos) << c.text;
  EXPECT_TRUE(parse({"--out", "a.idx", "-o", "format=idx"}).settings);
}

}  // namespace
}  // namespace uintah
