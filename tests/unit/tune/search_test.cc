#include "tune/search.h"

#include <gtest/gtest.h>

namespace esker {
namespace {

/// A number that matters for all of a step, and two ways to store and to move.
std::vector<Axis> axes() {
  return {{"aggregators", {"1", "2", "4", "8", "0", "32", "64"}, 4, true, Phase::kBoth},
          {"store_thread", {"auto", "true", "false"}, 0, false, Phase::kStore},
          {"transport", {"auto", "messages"}, 0, false, Phase::kMove}};
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

}  // namespace
}  // namespace esker
