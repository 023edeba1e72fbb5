#include "tune/parameter_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "model/option_table.h"
#include "tune/setting.h"
#include "tune/simulated_run.h"

namespace esker {
namespace {

using testing_support::facts_of;

const Axis& axis_of(const std::vector<Axis>& axes, const std::string& option) {
  return *std::ranges::find(axes, option, &Axis::option);
}

// A new option has to be put into one of the two lists.
TEST(ParameterSpace, EveryOptionIsTunableOrNot) {
  const std::set<std::string> others{
      "format",       "overwrite",    "split",           "keep_level", "partial",      "compare_shared_nodes",
      "tune",         "tune_seed",    "tune_cache",      "tune_model", "fsync",        "report",
      "call_timeout", "call_warning", "report_timeline", "async",      "async_memory", "async_cores",
      "stage",        "levels",       "level_values"};
  const std::vector<TunableOption> tunable = tunable_options(facts_of(8, 4), Options());
  for (const OptionRow& row : option_rows()) {
    const bool is_tunable =
        std::ranges::any_of(tunable, [&](const TunableOption& option) { return option.option == row.name; });
    EXPECT_NE(is_tunable, others.contains(std::string(row.name))) << row.name;
  }
  EXPECT_EQ(tunable.size() + others.size(), option_rows().size());
}

TEST(ParameterSpace, OptionsThatChangeTheBytesNeedANewDataset) {
  for (const TunableOption& option : tunable_options(facts_of(8, 4), Options())) {
    const bool changes = find_option(option.option)->help.find("(changes the dataset)") != std::string::npos;
    EXPECT_EQ(option.cost == ChangeCost::kNewFiles, changes) << option.option;
    EXPECT_EQ(may_change_between_steps(option.option), option.cost == ChangeCost::kPlan) << option.option;
  }
}

TEST(ParameterSpace, OptionsTakeTheirValues) {
  TuningFacts facts = facts_of(100, 8);
  facts.shares_a_file = facts.may_write_alone = facts.knows_stripes = true;
  for (const bool compresses : {false, true}) {
    facts.compresses = compresses;
    for (const Axis& axis : axes_of(facts, Options())) {
      EXPECT_LT(axis.start, axis.values.size()) << axis.option;
      for (const std::string& value : axis.values) EXPECT_TRUE(Options().set(axis.option, value).ok());
    }
  }
}

TEST(ParameterSpace, AggregatorsDoubleAroundTheNumberInEffect) {
  const auto of = [](int ranks, int aggregators) {
    return axis_of(axes_of(facts_of(ranks, aggregators), Options()), "aggregators").values;
  };
  using Values = std::vector<std::string>;
  EXPECT_EQ(of(16, 4), (Values{"1", "2", "0", "8", "16"}));
  EXPECT_EQ(of(7, 7), (Values{"1", "3", "0"}));
  EXPECT_EQ(of(7, 2), (Values{"1", "0", "4", "7"}));
  EXPECT_EQ(axis_of(axes_of(facts_of(16, 4), Options()), "aggregators").start, 2U);
}

TEST(ParameterSpace, EachPartitionKeepsAnAggregator) {
  Options options;
  options.set("partitions", "3").check();
  using Values = std::vector<std::string>;
  EXPECT_EQ(axis_of(axes_of(facts_of(16, 8), options), "aggregators").values, (Values{"4", "0", "16"}));
}

TEST(ParameterSpace, RanksInPartitionsDoNotWriteAlone) {
  TuningFacts facts = facts_of(16, 8);
  facts.may_write_alone = true;
  Options options;
  EXPECT_EQ(std::ranges::count(axes_of(facts, options), "aggregate", &Axis::option), 1);
  options.set("partitions", "size:4").check();
  EXPECT_EQ(std::ranges::count(axes_of(facts, options), "aggregate", &Axis::option), 0);
}

TEST(ParameterSpace, ANewDatasetHasValuesAroundTheSizesInEffect) {
  TuningFacts facts = facts_of(8, 4);
  facts.may_compress = true;
  const auto values_of = [&](const std::string& option) {
    const std::vector<TunableOption> all = tunable_options(facts, Options());
    return std::ranges::find(all, option, &TunableOption::option)->values;
  };
  using Values = std::vector<std::string>;
  constexpr std::array kOfBlocks{"bits_per_block", "blocks_per_file", "partitions", "in_block"};
  for (const char* option : kOfBlocks) EXPECT_EQ(values_of(option), Values()) << option << ": no blocks";
  facts.bits_per_block = 15;
  facts.blocks_per_file = 64;
  EXPECT_EQ(values_of("bits_per_block"), (Values{"13", "14", "0", "16", "17"}));
  EXPECT_EQ(values_of("blocks_per_file"), (Values{"16", "32", "0", "128", "256"}));
  EXPECT_EQ(values_of("partitions"), (Values{"0", "2", "4", "8"}));
  EXPECT_EQ(values_of("compression"), (Values{"none", "zip", "lz4", "zfp-reversible"}));
  facts.has_chunks = true;
  EXPECT_EQ(values_of("compression"), (Values{"none", "zip"}));
  facts.bits_per_block = 2;
  facts.blocks_per_file = 1;
  EXPECT_EQ(values_of("bits_per_block"), (Values{"1", "0", "3", "4"}));
  EXPECT_EQ(values_of("blocks_per_file"), (Values{"0", "2", "4"}));
  for (const TunableOption& option : tunable_options(facts, Options())) {
    for (const std::string& value : option.values) {
      EXPECT_TRUE(Options().set(option.option, value).ok()) << option.option << '=' << value;
    }
  }
}

TEST(ParameterSpace, OptionsThatTheUserSetStay) {
  Options options;
  options.set("aggregators", "2").check();
  options.set("transport", "auto").check();
  for (const Axis& axis : axes_of(facts_of(8, 4), options)) {
    EXPECT_NE(axis.option, "aggregators");
    EXPECT_NE(axis.option, "transport");
  }
  const std::vector<TunableOption> tunable = tunable_options(facts_of(8, 4), options);
  const TunableOption& set = *std::ranges::find(tunable, "aggregators", &TunableOption::option);
  EXPECT_TRUE(set.is_set);
  EXPECT_EQ(set.value, "2");
  EXPECT_TRUE(set.values.empty());
  EXPECT_FALSE(std::ranges::find(tunable, "restructure", &TunableOption::option)->is_set);
}

TEST(ParameterSpace, ReadingHasOptionsOfItsOwn) {
  TuningFacts facts = facts_of(8, 4);
  facts.reads = true;
  std::vector<std::string> options;
  for (const Axis& axis : axes_of(facts, Options())) options.push_back(axis.option);
  EXPECT_EQ(options,
            (std::vector<std::string>{"aggregate_reads", "aggregators", "collective_buffer", "transport"}));
  facts.aggregators = 0;  // each rank reads by itself
  facts.buffer_bytes = 0;
  EXPECT_EQ(axes_of(facts, Options()).size(), 1U);
  facts.ranks = 1;
  EXPECT_TRUE(axes_of(facts, Options()).empty());
  facts.reads = false;
  facts.ranks = 8;
  facts.aggregators = 4;
  for (const Axis& axis : axes_of(facts, Options())) EXPECT_NE(axis.option, "aggregate_reads");
}

TEST(ParameterSpace, OneRankHasNoExchange) {
  for (const Axis& axis : axes_of(facts_of(1, 1), Options()))
    EXPECT_EQ(axis.phase, Phase::kStore) << axis.option;
}

TEST(Setting, AsTextAndOptions) {
  const Setting setting{{"aggregators", "4"}, {"transport", "messages"}};
  EXPECT_EQ(to_text(setting), "aggregators=4, transport=messages");
  EXPECT_EQ(to_text(Setting{}), "the default");
  EXPECT_EQ(toml_lines(setting).front(), "aggregators = \"4\"");
  EXPECT_EQ(with_setting(Options(), setting)->aggregators, 4);
  EXPECT_EQ(with_setting(Options(), {{"bits_per_block", "4"}}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(with_setting(Options(), {{"aggregators", "many"}}).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace esker
