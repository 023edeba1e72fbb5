// What ranks did when: the option report_timeline.
#include "write/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs
using nlohmann::json;

void work_for(Seconds& seconds, double s) {
  const Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::duration<double>(s));
  seconds += watch.elapsed_s();
}

std::vector<int> kinds_of(const Spans& spans) {
  std::vector<int> kinds;
  for (const Spans::Span& span : spans.list()) kinds.push_back(span.kind);
  return kinds;
}

TEST(Spans, ASumRecordsWhenItsSecondsWereSpent) {
  Spans spans(16, Spans::Clock::now());
  Seconds pack, send;
  pack.record_in(spans, 1);
  send.record_in(spans, 2);
  spans.begin_step(7);
  work_for(pack, 0.002);
  work_for(send, 0.004);
  pack.correct(100);  // of another time
  spans.keep_step();
  const auto list = spans.list();
  ASSERT_EQ(kinds_of(spans), (std::vector<int>{Spans::kBegin, 1, 2}));
  EXPECT_EQ(list[2].step, 7);
  EXPECT_NEAR(list[1].seconds, pack - 100, 1e-5);
  EXPECT_NEAR(list[2].seconds, send, 1e-5);
  EXPECT_GE(list[2].begin_s + 1e-5, list[1].begin_s + static_cast<double>(list[1].seconds));
}

TEST(Spans, KeepTheLatestOnly) {
  Spans spans(3, Spans::Clock::now());
  spans.begin_step(0);
  for (const int kind : {1, 2, 3, 4}) {
    spans.add(kind, 0);
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  spans.keep_step();
  EXPECT_EQ(kinds_of(spans), (std::vector<int>{Spans::kBegin, 3, 4}))
      << "a step without a begin is not drawn";
  EXPECT_LT(spans.list()[0].begin_s, spans.list()[1].begin_s);
  spans.begin_step(1);
  spans.add(5, 0);
  spans.keep_step();
  EXPECT_EQ(kinds_of(spans), (std::vector<int>{4, Spans::kBegin, 5}));
}

TEST(Spans, OfOneKindWithoutAGapAreOne) {
  const auto origin = Spans::Clock::now();
  Spans spans(8, origin);
  spans.begin_step(0);
  const auto at = [&](int ms) { return origin + std::chrono::milliseconds(ms); };
  spans.add(5, 0.010, at(10));
  spans.add(5, 0.005, at(15));
  spans.add(5, 0.001, at(18));  // after a gap
  spans.keep_step();
  EXPECT_EQ(kinds_of(spans), (std::vector<int>{Spans::kBegin, 5, 5}));
  EXPECT_NEAR(spans.list()[1].seconds, 0.015, 1e-6);
}

TEST(Spans, OutsideOfStepsAreNotRecorded) {
  Spans spans(8, Spans::Clock::now());
  spans.add(1, 0);
  spans.begin_step(0);
  spans.add(2, 0);
  spans.keep_step();
  spans.add(3, 0);
  EXPECT_EQ(kinds_of(spans), (std::vector<int>{Spans::kBegin, 2}));
}

TEST(Spans, OfAStepThatFailedAreForgotten) {
  Spans spans(8, Spans::Clock::now());
  spans.begin_step(0);
  spans.add(1, 0);
  spans.keep_step();
  spans.begin_step(1);
  spans.add(2, 0);
  EXPECT_EQ(kinds_of(spans), (std::vector<int>{Spans::kBegin, 1})) << "not kept yet";
  spans.begin_step(1);
  spans.add(3, 0);
  spans.keep_step();
  EXPECT_EQ(kinds_of(spans), (std::vector<int>{Spans::kBegin, 1, Spans::kBegin, 3}));
}

/// After that step, another one with more spans than there is room for, which is not kept.
TEST(Spans, AStepThatFailsLeavesTheBeginOfTheLastKeptStep) {
  for (const int n_failed : {1, 2, 3, 9}) {
    SCOPED_TRACE(n_failed);
    Spans spans(4, Spans::Clock::now());
    spans.begin_step(3);
    spans.add(1, 0);
    spans.add(2, 0);
    spans.keep_step();
    spans.begin_step(4);
    for (int n = 0; n < n_failed; ++n) spans.add(5 + n % 2, 0);
    for (const bool fails_again : {false, true}) {
      if (fails_again) spans.begin_step(4);
      const auto list = spans.list();
      ASSERT_FALSE(list.empty());
      EXPECT_EQ(list[0].kind, Spans::kBegin);
      EXPECT_EQ(list.size(), static_cast<std::size_t>(std::max(1, 4 - n_failed)));
      EXPECT_EQ(list[0].is_cut, n_failed > 1 ? 1 : 0) << "the begin is kept in addition";
      for (const Spans::Span& span : list) EXPECT_EQ(span.step, 3);
    }
  }
}

TEST(Spans, OfACompleteStepAreNotCut) {
  Spans spans(4, Spans::Clock::now());
  spans.begin_step(3);
  for (const int kind : {1, 2, 3, 4}) spans.add(kind, 0);
  spans.keep_step();
  EXPECT_EQ(spans.list()[0].is_cut, 1);
  spans.begin_step(3);  // the run was rewound
  spans.add(1, 0);
  spans.keep_step();
  EXPECT_EQ(kinds_of(spans), (std::vector<int>{3, 4, Spans::kBegin, 1}));
  EXPECT_EQ(spans.list()[2].is_cut, 0);
}

TEST(Spans, WithoutAKeptStepAreNone) {
  Spans spans(4, Spans::Clock::now());
  spans.begin_step(0);
  spans.add(1, 0);
  EXPECT_TRUE(spans.list().empty());
}

std::map<Index, double> seconds_of(const std::string& spans, std::int64_t most_us) {
  std::map<Index, double> sums;
  std::istringstream text(spans);
  std::int64_t kind = 0, begin = 0, length = 0;
  while (text >> kind >> begin >> length) {
    EXPECT_GE(length, 0);
    EXPECT_LE(begin + length, most_us);
    sums[kind] += 1e-6 * static_cast<double>(length);
  }
  return sums;
}

/// The report of a run of three steps, from each rank.
std::vector<json> reports_of(int n_ranks, const std::map<std::string, std::string>& options) {
  std::vector<json> reports(static_cast<std::size_t>(n_ranks));
  RunPlan run;
  run.n_ranks = n_ranks;
  run.aggregators = std::min(n_ranks, 2);
  run.memory_budget = Index{192} << 10;
  run.options = options;
  const auto store = memory_store();
  run_ranks(n_ranks, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, store, run).value();
    for (Index step = 0; step < run.end_step; ++step) write_step(*pipeline, comm, run, step).check();
    reports[static_cast<std::size_t>(comm.rank())] = json::parse(report_to_json(pipeline->report().value()));
    pipeline->close(Status()).check();
  });
  return reports;
}

TEST(Timeline, OfARunTellsWhatEachRankDidInEachStep) {
  for (const int n_ranks : {1, 4}) {
    for (const char* in_thread : {"false", "true"}) {
      const auto reports = reports_of(
          n_ranks, {{"report_timeline", "true"}, {"store_thread", in_thread}, {"collective_buffer", "4K"}});
      for (const json& report : reports) EXPECT_EQ(report["timeline"], reports[0]["timeline"]);
      const json& timeline = reports[0]["timeline"];
      ASSERT_EQ(timeline["ranks"].size(), static_cast<std::size_t>(n_ranks));
      EXPECT_EQ(timeline["kinds"].size() + 1, reports[0]["phases_s"].size());
      std::map<std::string, double> of_all;
      for (const json& rank : timeline["ranks"]) {
        ASSERT_EQ(rank["steps"].size(), reports[0]["steps"].size());
        for (std::size_t s = 0; s < rank["steps"].size(); ++s) {
          const json& step = rank["steps"][s];
          EXPECT_EQ(step["step"], reports[0]["steps"][s]["step"]);
          const double step_s = reports[0]["steps"][s]["seconds"];
          for (const char* row : {"work", "store"}) {
            for (const auto& [kind, seconds] : seconds_of(step[row], std::lround(1e6 * step_s) + 1000)) {
              of_all[timeline["kinds"][static_cast<std::size_t>(kind)]] += seconds;
            }
          }
        }
      }
      for (const char* phase : {"pack", "exchange", "agree", "commit"}) {
        const double mean_s = reports[0]["phases_s"][phase]["mean"];
        EXPECT_NEAR(of_all[phase], mean_s * n_ranks, 0.05 * mean_s * n_ranks + 2e-4) << phase;
      }
      EXPECT_GT(of_all["store"], 0);
    }
  }
}

TEST(Timeline, IsNotRecordedUnlessAskedFor) {
  for (const json& report : reports_of(2, {})) EXPECT_FALSE(report.contains("timeline"));
}

TEST(Timeline, NamesTheRowsWhoseBeginsWereLost) {
  TimelineReport report;
  report.kinds = phase_names();
  TimelineReport::Rank& rank = report.ranks.emplace_back();
  rank.work = {{7, 1, 0, Spans::kBegin, 0}, {7, 1, 0.5f, 2, 0}};
  rank.store = {{7, 1, 0, Spans::kBegin, 1}};
  JsonWriter writer;
  write_timeline(writer, report);
  const json step = json::parse(writer.take())["ranks"][0]["steps"][0];
  EXPECT_EQ(step["cut"], json::array({"store"}));
  rank.store[0].is_cut = 0;
  write_timeline(writer, report);
  EXPECT_FALSE(json::parse(writer.take())["ranks"][0]["steps"][0].contains("cut"));
}

TEST(Timeline, TakesAtMostOneMebibyte) {
  TimelineReport full;
  full.kinds = phase_names();
  const double long_s = 1e5;
  for (int r = 0; r < Timeline::kMostRanks; ++r) {
    TimelineReport::Rank& rank = full.ranks.emplace_back();
    rank.rank = r;
    const std::size_t n = Timeline::kMostSpans / Timeline::kMostRanks / 2;
    rank.work.assign(n, {1, long_s, 9.876543f, 9, 0});
    rank.work[0] = {1, long_s - 1000, 0, Spans::kBegin, 1};
    rank.store = rank.work;
  }
  JsonWriter writer;
  write_timeline(writer, full);
  EXPECT_LE(writer.take().size(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace esker
