#include "tune/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace esker {
namespace {

/// A number that matters for all of a step, and two ways to store and to move.
std::vector<Axis> axes() {
  return {{"aggregators", {"1", "2", "4", "8", "0", "32", "64"}, 4, 1, Phase::kBoth},
          {"store_thread", {"auto", "true", "false"}, 0, 0, Phase::kStore},
          {"transport", {"auto", "messages"}, 0, 0, Phase::kMove}};
}

TEST(Search, ProposesEachNeighborOnce) {
  Search search(axes(), 1);
  std::set<Setting> proposed;
  while (const auto setting = search.propose(0.5)) {
    EXPECT_TRUE(proposed.insert(*setting).second) << to_text(*setting);
    EXPECT_EQ(setting->size(), 1U);
    search.reject();
  }
  EXPECT_EQ(proposed.size(), 2U + 2 + 1);
}

TEST(Search, GoesTwiceAsFarInADirectionThatHelped) {
  Search search(axes(), 1);
  auto setting = search.propose(0.5);
  while (*setting != Setting{{"aggregators", "8"}}) {
    search.reject();
    setting = search.propose(0.5);
  }
  search.accept();
  EXPECT_EQ(search.propose(0.5), (Setting{{"aggregators", "2"}}));
  search.accept();
  EXPECT_EQ(search.propose(0.5), (Setting{{"aggregators", "1"}})) << "the end of the axis";
  search.reject();
  EXPECT_EQ(search.propose(0.5), (Setting{{"aggregators", "4"}})) << "a neighbor that was passed over";
}

TEST(Search, LeavesOutWhatHardlyMatters) {
  Search search(axes(), 1);
  while (const auto setting = search.propose(0.95)) EXPECT_FALSE(setting->contains("transport"));
}

TEST(Search, ProposesASuggestionFirst) {
  const Setting known{{"aggregators", "1"}, {"store_thread", "true"}};
  Search search(axes(), 1);
  search.suggest(known);
  EXPECT_EQ(search.propose(0.5), known);
  search.accept();
  EXPECT_EQ(search.propose(0.5), (Setting{{"aggregators", "2"}, {"store_thread", "true"}}));
  Search other(axes(), 1);
  other.suggest({{"aggregators", "3"}});
  EXPECT_NE(other.propose(0.5), (Setting{{"aggregators", "3"}})) << "not in the space";
}

/// Each doubling of the aggregators costs a tenth, and messages cost a fifth less.
double modeled(const Setting& setting) {
  static const std::vector<Axis> space = axes();
  double ratio = setting.contains("transport") ? 0.8 : 1;
  if (const auto value = setting.find("aggregators"); value != setting.end()) {
    const auto at = std::ranges::find(space[0].values, value->second) - space[0].values.begin();
    ratio *= std::pow(1.1, static_cast<double>(at - 4));
  }
  return ratio;
}

TEST(Search, ProposesWhatAModelPredictsFirst) {
  Search search(axes(), 1);
  search.consult(modeled);
  const Setting first{{"aggregators", "8"}, {"transport", "messages"}};
  EXPECT_EQ(search.propose(0.5), first) << "the best within one step";
  search.reject();
  EXPECT_EQ(search.propose(0.5), (Setting{{"transport", "messages"}}));
  search.accept();
  EXPECT_EQ(search.propose(0.5), (Setting{{"aggregators", "4"}, {"transport", "messages"}}))
      << "twice as far after a success";
}

TEST(Search, LeavesOutWhatAModelPredictsToBeWorse) {
  const auto proposed = [](const StepRatio& model) {
    Search search(axes(), 1);
    search.consult(model);
    std::set<Setting> settings;
    while (const auto setting = search.propose(0.5)) {
      settings.insert(*setting);
      search.reject();
    }
    return settings;
  };
  const auto worse = [](const Setting& setting) { return setting.contains("aggregators") ? 1.2 : 1.0; };
  EXPECT_EQ(proposed(worse).size(), 2U + 1) << "without the neighbors along aggregators";
  EXPECT_EQ(proposed([](const Setting&) { return 1.0; }).size(), 2U + 2 + 1);
}

// If the model is wrong the other way round, a step takes at most 1.5 times as long.
TEST(Search, AModelWithoutASuccessMayNotPromiseTooMuch) {
  Search search(axes(), 1);
  search.consult([](const Setting& setting) {
    return setting.contains("transport") ? 0.5 : setting.contains("store_thread") ? 0.9 : 1.0;
  });
  const auto first = search.propose(0.5);
  EXPECT_TRUE(first->contains("store_thread")) << to_text(*first);
  search.accept();
  EXPECT_TRUE(search.propose(0.5)->contains("transport"));
}

TEST(Search, AModelThatWasWrongIsNotAsked) {
  Search search(axes(), 1);
  search.consult([](const Setting& setting) { return setting.contains("aggregators") ? 1.2 : 1.0; });
  search.distrust();
  EXPECT_TRUE(search.propose(0.5)->contains("aggregators"));
}

}  // namespace
}  // namespace esker
