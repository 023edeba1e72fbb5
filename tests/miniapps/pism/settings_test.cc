#include "settings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/command_line.h"

namespace pism {
namespace {

using esker::testing_support::Arguments;
using esker::testing_support::expect_wrong_usage;

Command parse(const Arguments& arguments) {
  return esker::testing_support::parse_arguments(parse_command_line, arguments);
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

TEST(Settings, InputHasDefaultLevelsAndLimits) {
  const Command c = parse({"--input", "a.nc", "--output", "b.idx"});
  ASSERT_TRUE(c.settings) << c.text;
  EXPECT_FALSE(c.settings->grid);
  EXPECT_FALSE(c.settings->dome);
  EXPECT_EQ(c.settings->levels, 61);
  EXPECT_EQ(c.settings->ice_height, 4000);
  EXPECT_EQ(c.settings->z_spacing, ZSpacing::kEqual);
  EXPECT_EQ(c.settings->model.max_mass_step, 1);
  EXPECT_EQ(c.settings->model.flow_law.max_diffusivity, 3e7);
  EXPECT_EQ(c.settings->model.flow_law.isothermal_softness, 0);
}

TEST(Settings, ModesAreEskerOrWithoutALibrary) {
  EXPECT_FALSE(parse({"--input", "a.nc", "--output", "b.idx"}).settings->raw_mode);
  EXPECT_FALSE(parse({"--input", "a.nc", "--output", "b.idx", "--mode", "esker"}).settings->raw_mode);
  for (const NamedRawMode& raw : kRawModes) {
    const Command c =
        parse({"--input", "a.nc", "--output", "b.raw", "--mode", raw.name, "-o", "overwrite=true"});
    ASSERT_TRUE(c.settings) << c.text;
    EXPECT_EQ(c.settings->raw_mode, raw.mode);
  }
  const Arguments raw{"--input", "a.nc", "--output", "b.raw", "--mode", "nodes", "-o", "aggregators=2"};
  EXPECT_NE(parse(raw).text.find("leave out -o aggregators=2"), std::string::npos);
  expect_wrong_usage(parse, {raw,
                             {"--input", "a.nc", "--output", "b.raw", "--mode", "levels"},
                             {"--input", "a.nc", "--plan", "4", "--mode", "nodes"}});
}

TEST(Settings, ARestartHasItsGridAndLevels) {
  const Command c = parse({"--restart", "state.idx", "--output", "b.idx"});
  ASSERT_TRUE(c.settings) << c.text;
  EXPECT_EQ(c.settings->restart, "state.idx");
  for (const Arguments& more : {Arguments{"--input", "a.nc"}, Arguments{"--dome", "halfar"},
                                Arguments{"--grid", "g5km"}, Arguments{"--levels", "9"},
                                Arguments{"--ice-height", "3000"}, Arguments{"--z-spacing", "quadratic"}}) {
    Arguments all{"--restart", "state.idx", "--output", "b.idx"};
    all.insert(all.end(), more.begin(), more.end());
    expect_wrong_usage(parse, {all});
  }
}

TEST(Settings, NamedGridsSetLevelsAndHeight) {
  const Command c = parse({"--input", "a.nc", "--output", "b.idx", "--grid", "g5km"});
  ASSERT_TRUE(c.settings) << c.text;
  EXPECT_EQ(c.settings->grid->My, 561);
  EXPECT_EQ(c.settings->levels, 201);
  EXPECT_EQ(c.settings->ice_height, 4000);
  const Command own = parse({"--dome", "vialov", "--output", "b.idx", "--grid", "a10km", "--levels", "11",
                             "--ice-height", "6000", "--z-spacing", "quadratic"});
  ASSERT_TRUE(own.settings) << own.text;
  EXPECT_EQ(own.settings->grid->Mx, 600);
  EXPECT_EQ(own.settings->levels, 11);
  EXPECT_EQ(own.settings->ice_height, 6000);
  EXPECT_EQ(own.settings->z_spacing, ZSpacing::kQuadratic);
}

TEST(Settings, VialovsDomeFollowsTheGrid) {
  const Command c = parse({"--dome", "vialov", "--output", "b.idx", "--grid", "a10km"});
  ASSERT_TRUE(c.settings) << c.text;
  EXPECT_EQ(c.settings->dome->kind, DomeKind::kVialov);
  EXPECT_NEAR(c.settings->dome->radius, 1997e3, 1e3);
  EXPECT_LT(c.settings->dome->height, c.settings->ice_height);
  const Command own = parse({"--dome", "vialov", "--output", "b.idx", "--dome-radius", "300000"});
  EXPECT_EQ(own.settings->dome->radius, 300e3);
  EXPECT_EQ(own.settings->dome->height, vialov_height(300e3, 0.1, 1e-16));
}

TEST(Settings, HalfarsDomeIsTestBOnItsDefaultGrid) {
  const Command c = parse({"--dome", "halfar", "--isothermal", "--output", "b.idx", "--grid-points", "53,27",
                           "--grid-spacing", "40000"});
  ASSERT_TRUE(c.settings) << c.text;
  EXPECT_EQ(c.settings->dome->kind, DomeKind::kHalfar);
  EXPECT_EQ(c.settings->dome->height, 3600);
  EXPECT_EQ(c.settings->dome->radius, 750e3);
  EXPECT_EQ(c.settings->grid->Mx, 53);
  EXPECT_EQ(c.settings->grid->My, 27);
  EXPECT_EQ(c.settings->grid->x0, -26 * 40e3);
  EXPECT_EQ(c.settings->model.flow_law.isothermal_softness, 1e-16);
}

TEST(Settings, IsothermalIceHasNoDefaultLimits) {
  const Command c = parse({"--dome", "halfar", "--isothermal", "--output", "b.idx"});
  EXPECT_TRUE(std::isinf(c.settings->model.max_mass_step));
  EXPECT_TRUE(std::isinf(c.settings->model.flow_law.max_diffusivity));
  const Command limited = parse({"--dome", "halfar", "--isothermal", "--output", "b.idx", "--dt-max", "0.5",
                                 "--max-diffusivity", "1e8", "--softness", "2e-16"});
  EXPECT_EQ(limited.settings->model.max_mass_step, 0.5);
  EXPECT_EQ(limited.settings->model.flow_law.max_diffusivity, 1e8);
  EXPECT_EQ(limited.settings->model.flow_law.isothermal_softness, 2e-16);
}

TEST(Settings, HelpHasExamplesAndExitStatus0) {
  const Command c = parse({"--help"});
  EXPECT_FALSE(c.settings);
  EXPECT_EQ(c.exit_code, 0);
  EXPECT_NE(c.text.find("mpiexec -n 4 esker-pism"), std::string::npos);
  EXPECT_NE(c.text.find("--dome vialov --grid a10km"), std::string::npos);
  for (const NamedGrid& grid : kNamedGrids) EXPECT_NE(c.text.find(grid.what), std::string::npos) << c.text;
}

TEST(Settings, WrongUsageHasExitStatus2) {
  const std::vector<Arguments> wrong = {
      {},
      {"--input", "a.nc"},
      {"--input", "a.nc", "--output", "b.idx", "--levels", "1"},
      {"--input", "a.nc", "--output", "b.idx", "--precision", "f2"},
      {"--input", "a.nc", "--output", "b.idx", "--no-such"},
      {"--input", "a.nc", "--output", "b.idx", "-o", "aggregators"},
      {"--output", "b.idx"},
      {"--input", "a.nc", "--output", "b.idx", "--plan", "4"},
      {"--input", "a.nc", "--plan", "0"},
      {"--input", "a.nc", "--dome", "halfar", "--output", "b.idx"},
      {"--dome", "igloo", "--output", "b.idx"},
      {"--input", "a.nc", "--output", "b.idx", "--grid", "g2km"},
      {"--input", "a.nc", "--output", "b.idx", "--grid", "g5km", "--grid-coarsen", "2"},
      {"--input", "a.nc", "--output", "b.idx", "--grid-points", "9,9"},
      {"--input", "a.nc", "--output", "b.idx", "--dome-height", "3000"},
      {"--input", "a.nc", "--output", "b.idx", "--z-spacing", "cubic"},
      {"--input", "a.nc", "--output", "b.idx", "--softness", "1e-16"},
      {"--dome", "halfar", "--output", "b.idx", "--grid", "a10km", "--grid-spacing", "1000"},
      {"--dome", "halfar", "--output", "b.idx", "--grid-points", "9"},
      {"--dome", "halfar", "--output", "b.idx", "--grid-points", "1,9"},
      {"--dome", "halfar", "--output", "b.idx", "--dome-height", "-3"},
      {"--dome", "halfar", "--output", "b.idx", "--isothermal", "--enhancement", "2"},
      {"--dome", "halfar", "--output", "b.idx", "--grid-coarsen", "2"},
      {"--input", "a.nc", "--output", "b.idx", "-o", "no_such_option=1"},
  };
  expect_wrong_usage(parse, wrong);
}

TEST(Settings, ErrorsNameUnknownEskerOptions) {
  const Command c = parse({"--input", "a.nc", "--output", "b.idx", "-o", "no_such_option=1"});
  EXPECT_NE(c.text.find("no_such_option"), std::string::npos) << c.text;
}

}  // namespace
}  // namespace pism
