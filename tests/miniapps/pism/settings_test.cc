#include "settings.h"

#include <gtest/gtest.h>

#include <vector>

namespace pism {
namespace {

Command parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "esker-pism");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Settings, DefaultsAndValues) {
  const Command c = parse({"--input", "a.nc", "--output", "b.idx", "--levels", "11", "--precision", "f8",
                           "-o", "aggregators=2", "-o", "overwrite=true", "--verify"});
  ASSERT_TRUE(c.settings) << c.text;
  EXPECT_EQ(c.settings->input, "a.nc");
  EXPECT_EQ(c.settings->levels, 11);
  EXPECT_EQ(c.settings->output_steps, 6);
  EXPECT_EQ(c.settings->precision, esker::SampleType::kFloat64);
  EXPECT_EQ(c.settings->esker.aggregators, 2);
  EXPECT_TRUE(c.settings->esker.overwrite);
  EXPECT_TRUE(c.settings->verify);
}

TEST(Settings, HelpHasExamplesAndEndsWell) {
  const Command c = parse({"--help"});
  EXPECT_FALSE(c.settings);
  EXPECT_EQ(c.exit_code, 0);
  EXPECT_NE(c.text.find("mpiexec -n 4 esker-pism"), std::string::npos);
}

TEST(Settings, WrongUsageEndsWithTwo) {
  const std::vector<std::vector<const char*>> wrong = {
      {},
      {"--input", "a.nc"},
      {"--input", "a.nc", "--output", "b.idx", "--levels", "1"},
      {"--input", "a.nc", "--output", "b.idx", "--precision", "f2"},
      {"--input", "a.nc", "--output", "b.idx", "--no-such"},
      {"--input", "a.nc", "--output", "b.idx", "-o", "aggregators"},
      {"--input", "a.nc", "--output", "b.idx", "-o", "no_such_option=1"},
  };
  for (const auto& arguments : wrong) {
    const Command c = parse(arguments);
    EXPECT_FALSE(c.settings);
    EXPECT_EQ(c.exit_code, 2);
    EXPECT_FALSE(c.text.empty());
  }
}

TEST(Settings, UnknownEskerOptionNamesItself) {
  const Command c = parse({"--input", "a.nc", "--output", "b.idx", "-o", "no_such_option=1"});
  EXPECT_NE(c.text.find("no_such_option"), std::string::npos) << c.text;
}

}  // namespace
}  // namespace pism
