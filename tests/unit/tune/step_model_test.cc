#include "tune/step_model.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "esker/version.h"
#include "support/tuned_runs.h"
#include "tune/knowledge.h"
#include "tune/model_text.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: texts of models

TuningFacts facts() {
  TuningFacts facts;
  facts.ranks = 64;
  facts.fields = 3;
  facts.step_bytes = Index{1} << 33;
  facts.aggregators = 16;
  return facts;
}

double value_of(const std::string& name, const Setting& setting = {}) {
  return StepAttribute::named(name).value().value(facts(), with_setting(Options(), setting).value());
}

TEST(StepAttribute, DescribesTheStepAndTheOptions) {
  EXPECT_EQ(value_of("ranks"), 64);
  EXPECT_EQ(value_of("fields"), 3);
  EXPECT_EQ(value_of("step_bytes"), 8589934592.0);
  EXPECT_EQ(value_of("bytes_per_rank"), 134217728.0);
  EXPECT_EQ(value_of("aggregators"), 0) << "the choice of Esker";
  EXPECT_EQ(value_of("aggregators", {{"aggregators", "8"}}), 8);
  EXPECT_EQ(value_of("ranks_per_aggregator"), 4);
  EXPECT_EQ(value_of("ranks_per_aggregator", {{"aggregators", "8"}}), 8);
  EXPECT_EQ(value_of("collective_buffer", {{"collective_buffer", "4M"}}), 4 << 20);
  EXPECT_EQ(value_of("buffer_bytes", {{"collective_buffer", "4M"}}), 4 << 20);
  EXPECT_EQ(value_of("transport=put"), 0);
  EXPECT_EQ(value_of("transport=put", {{"transport", "put"}}), 1);
  EXPECT_EQ(value_of("transport=put", {{"transport", "put_fence"}}), 0);
  EXPECT_EQ(value_of("store_thread=auto"), 1);
}

TEST(StepAttribute, UnknownNamesAreErrors) {
  for (const char* name :
       {"", "rank", "transport", "transport=", "transport=post", "aggregators=x", "=", "a=b"}) {
    EXPECT_EQ(StepAttribute::named(name).status().code(), Code::kInvalidArgument) << name;
  }
  EXPECT_LT(StepAttribute::named(std::string(100'000, 'x')).status().message().size(), 500U);
}

ModelText here() { return {.esker = ESKER_VERSION, .machine = machine_name()}; }

TEST(StepModel, PredictsTheRatioToTheStepAsConfigured) {
  const StepModel model = StepModel::parse(here().print(), machine_name()).value();
  EXPECT_DOUBLE_EQ(model.ratio(facts(), Options(), {}), 1);
  EXPECT_DOUBLE_EQ(model.ratio(facts(), Options(), {{"aggregators", "1"}}), 1);
  EXPECT_DOUBLE_EQ(model.ratio(facts(), Options(), {{"aggregators", "2"}}), 256) << "2 * (3 - -1) doublings";
  Options configured;
  configured.set("aggregators", "4").check();
  EXPECT_DOUBLE_EQ(model.ratio(facts(), configured, {{"aggregators", "1"}}), 1.0 / 256);
  EXPECT_GT(model.ratio(facts(), configured, {{"bits_per_block", "1"}}), 1000) << "not a setting";
}

TEST(StepModel, IsReadNextToWhatRunsRemember) {
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(StepModel::default_path(), "/cache/esker/tune_model.json");
  ::unsetenv("XDG_CACHE_HOME");
  const auto store = memory_store();
  EXPECT_EQ(StepModel::read(*store, "/m.json").status().code(), Code::kNotFound);
  store_text(*store, "/m.json", here().print());
  EXPECT_TRUE(StepModel::read(*store, "/m.json").ok());
  ModelText unknown = here();
  unknown.attributes = R"(["ranks", "phase_of_the_moon"])";
  store_text(*store, "/m.json", unknown.print());
  const Status status = StepModel::read(*store, "/m.json").status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_EQ(status.message(), "/m.json: unknown attribute 'phase_of_the_moon'");
}

}  // namespace
}  // namespace esker
