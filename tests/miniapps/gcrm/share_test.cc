#include "share.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gcrm {
namespace {

RunReport example() {
  RunReport run;
  run.interval = {"1/24", 1.0 / 24};
  run.paths = {"run.nc", "run.idx"};
  run.output_steps = 25;
  run.model_steps = 240;
  run.model_seconds = 190;
  run.output_seconds = 10;
  run.first_output_seconds = 4;
  run.state = 255;
  run.norms = {{0.1, 0.2, 0.3, 0.4, 0.0, 0.9}};
  return run;
}

TEST(Share, IsOutputDividedByModelAndOutput) {
  RunReport run = example();
  EXPECT_DOUBLE_EQ(run.share(), 0.05);
  EXPECT_DOUBLE_EQ(run.share_after_first(), 6.0 / 196);
  EXPECT_NE(to_text(run).find("met"), std::string::npos);
  run.output_seconds = 11;
  EXPECT_NE(to_text(run).find("missed"), std::string::npos);
}

TEST(Share, JsonHoldsEachRun) {
  Settings settings;
  settings.level = 2;
  settings.targets.resize(2);
  for (Target& target : settings.targets) target.esker.set("format", "idx");
  const auto json = nlohmann::json::parse(to_json(settings, 4, {example(), example()}));
  EXPECT_EQ(json["cells"], 162);
  EXPECT_EQ(json["ranks"], 4);
  EXPECT_EQ(json["goal"], 0.05);
  EXPECT_EQ(json["formats"], nlohmann::json::array({"idx", "idx"}));
  EXPECT_EQ(json["runs"][0]["paths"][1], "run.idx");
  ASSERT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][1]["interval"], "1/24");
  EXPECT_EQ(json["runs"][1]["within_goal"], true);
  EXPECT_EQ(json["runs"][1]["state"], "00000000000000ff");
  EXPECT_EQ(json["runs"][1]["norms"][0]["linf"], 0.3);
}

}  // namespace
}  // namespace gcrm
