#include "tune/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tune/simulated_run.h"

namespace esker {
namespace {

/// A number that matters for all of a step, and two ways to store and to move.
std::vector<Axis> axes() {
  return {{"aggregators", {"1", "2", "4", "8", "0", "32", "64"}, 4, 1, Phase::kBoth},
          {"store_thread", {"auto", "true", "false"}, 0, 0, Phase::kStore},
          {"transport", {"auto", "messages"}, 0, 0, Phase::kMove}};
}

constexpr double kAnyRatio = 100, kCautious = 1.5;

/// Doublings of the number of aggregators against the default.
double more_aggregators(const Setting& setting) {
  static const std::vector<Axis> space = axes();
  return static_cast<double>(testing_support::offset_on(space, setting, "aggregators"));
}

/// After some steps with the default.
Search begun(std::uint64_t seed = 1) {
  Search search(axes(), seed);
  for (int i = 0; i < 4; ++i) search.observe({}, 1);
  return search;
}

/// What is proposed, of at most `n_most`, until nothing is.
std::vector<Setting> proposals(Search& search, const StepRatio& step_s, int n_most,
                               double most_ratio = kCautious) {
  std::vector<Setting> proposed;
  while (std::ssize(proposed) < n_most) {
    const auto setting = search.propose(most_ratio);
    if (!setting) break;
    search.observe(*setting, step_s(*setting));
    proposed.push_back(*setting);
  }
  return proposed;
}

TEST(Search, ProposesEachSettingOnce) {
  Search search = begun();
  const std::vector<Setting> all = proposals(
      search, [](const Setting&) { return 1; }, 100);
  EXPECT_GE(all.size(), 3U);
  EXPECT_LT(all.size(), 7U * 3 * 2) << "nothing promises more in the end";
  EXPECT_EQ(std::set<Setting>(all.begin(), all.end()).size(), all.size());
  EXPECT_TRUE(std::ranges::none_of(all, &Setting::empty));
  EXPECT_TRUE(search.best().empty());
}

TEST(Search, GoesOnInADirectionThatHelped) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Search search = begun(seed);
    (void)proposals(
        search, [](const Setting& setting) { return std::pow(1.25, more_aggregators(setting)); }, 5);
    EXPECT_EQ(more_aggregators(search.best()), -4) << to_text(search.best());
    EXPECT_TRUE(search.is_faster(search.best()));
  }
}

TEST(Search, CombinesWhatHelped) {
  Search search = begun();
  (void)proposals(
      search,
      [](const Setting& setting) {
        return (setting.contains("store_thread") ? 0.8 : 1) * (setting.contains("transport") ? 0.8 : 1) *
               (setting.contains("aggregators") ? 1.2 : 1);
      },
      5);
  EXPECT_TRUE(search.best().contains("store_thread") && search.best().contains("transport"))
      << to_text(search.best());
}

TEST(Search, ProposesOnlyWhatIsAffordable) {
  EXPECT_FALSE(begun().propose(1.01));
  const auto cheap = begun().propose(1.2);
  EXPECT_TRUE(cheap && !cheap->contains("aggregators")) << "another number may take much longer";
  EXPECT_TRUE(begun().propose(kCautious)->contains("aggregators"));
}

// Steps with twice as many aggregators say little of eight times as many.
TEST(Search, GoesAtMostTwiceAsFar) {
  Search search = begun();
  search.observe({{"aggregators", "8"}}, 0.6);
  search.observe({{"aggregators", "8"}}, 0.6);
  const auto next = search.propose(kAnyRatio);
  EXPECT_EQ(more_aggregators(*next), -2) << to_text(*next);
}

TEST(Search, LeavesOutWhatHardlyMatters) {
  Search search = begun();
  search.set_store_share(0.95);
  for (const Setting& setting : proposals(
           search, [](const Setting&) { return 1; }, 100)) {
    EXPECT_FALSE(setting == (Setting{{"transport", "messages"}}));
  }
}

TEST(Search, ProposesASuggestionFirst) {
  const Setting known{{"aggregators", "1"}, {"store_thread", "true"}};
  Search search = begun();
  search.suggest(known);
  EXPECT_EQ(search.propose(kCautious), known);
  Search other = begun();
  other.suggest({{"aggregators", "3"}});
  EXPECT_NE(other.propose(kCautious), (Setting{{"aggregators", "3"}})) << "not in the space";
}

TEST(Search, ASeedDecidesBetweenSettingsThatSeemAlike) {
  std::set<Setting> first;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    first.insert(*begun(seed).propose(kCautious));
    EXPECT_EQ(begun(seed).propose(kCautious), begun(seed).propose(kCautious));
  }
  EXPECT_GT(first.size(), 1U);
}

/// Each doubling of the aggregators costs a tenth, and messages cost a fifth less.
double modeled(const Setting& setting) {
  return (setting.contains("transport") ? 0.8 : 1) * std::pow(1.1, more_aggregators(setting));
}

TEST(Search, ProposesWhatAModelPredictsFirst) {
  Search search = begun();
  search.consult(modeled);
  const Setting first = *search.propose(kCautious);
  EXPECT_TRUE(first.contains("transport") && more_aggregators(first) < 0) << to_text(first);
  EXPECT_LE(1 / modeled(first), kCautious) << "it may be wrong the other way round";
  for (int i = 0; i < 6; ++i) search.observe(first, modeled(first));
  EXPECT_LT(modeled(*search.propose(kCautious)), modeled(first)) << "after a success";
}

TEST(Search, LeavesOutWhatAModelPredictsToBeWorse) {
  const auto worse = [](const Setting& setting) { return setting.contains("aggregators") ? 1.4 : 1.0; };
  Search search = begun();
  search.consult(worse);
  for (const Setting& setting : proposals(
           search, [](const Setting&) { return 1; }, 100)) {
    EXPECT_FALSE(setting.contains("aggregators")) << to_text(setting);
  }
  Search other = begun();
  other.consult(worse);
  other.distrust();
  EXPECT_TRUE(other.propose(kCautious)->contains("aggregators"));
}

}  // namespace
}  // namespace esker
