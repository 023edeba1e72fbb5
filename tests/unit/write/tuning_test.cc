// Tuning changes how steps are written, not what is written: see tune/parallel/step_tuner.h.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <ostream>
#include <set>
#include <thread>

#include "esker/version.h"
#include "store/faulty_store.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "support/tuned_runs.h"
#include "tune/knowledge.h"
#include "tune/parallel/step_tuner.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

/// A way to store runs, and what its steps may be written with.
struct Kind {
  const char* name;
  const char* format;
  std::map<std::string, std::string> options = {};
  bool may_write_alone = false;
  bool has_mesh = false;
  const char* path = "run.nc";
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

RunPlan run_of(const Kind& kind, int n_ranks) {
  RunPlan run;
  run.n_ranks = n_ranks;
  run.single = true;
  if (kind.has_mesh) run.schema = mesh_schema();
  run.path = kind.path;
  run.options = kind.options;
  run.options["format"] = kind.format;
  run.checksums = !kind.options.contains("checksums");
  return run;
}

const Kind kIdx{"Idx", "idx", {}, false, false, "run.idx"};

void expect_same_as_untuned(Store& store, RunPlan run) {
  run.options.erase("tune");
  run.n_ranks = 1;
  const auto reference = memory_store();
  ASSERT_TRUE(write_all(reference, run).ok());
  expect_same_files(store, *reference, ".", "replay.json");
}

class TunedFormats : public testing::TestWithParam<Kind> {};

TEST_P(TunedFormats, EverySettingWritesTheSameBytes) {
  const Kind kind = GetParam();
  for (const int n_ranks : {1, 2, 4, 7}) {
    TuningFacts facts = facts_with(n_ranks);
    facts.shares_a_file = std::string(kind.format) != "idx";
    facts.compresses = kind.options.contains("compression");
    facts.may_write_alone = kind.may_write_alone;
    facts.knows_stripes = kind.options.contains("stripe_size");
    const TuningRecord record = every_setting(facts);
    RunPlan run = run_of(kind, n_ranks);
    run.end_step = 2 + std::ssize(record.changes);
    run.options["tune"] = "replay:replay.json";
    const auto store = memory_store();
    store_text(*store, "replay.json", report_with(record));
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
    expect_same_as_untuned(*store, run);
  }
}

// Times, and so the settings that are tried, differ from run to run.
TEST_P(TunedFormats, ARunThatTunesItselfWritesTheSameBytes) {
  for (const int n_ranks : {1, 2, 4, 7}) {
    RunPlan run = run_of(GetParam(), n_ranks);
    run.end_step = 12;
    run.options["tune"] = "auto";
    run.options["tune_seed"] = std::to_string(n_ranks);
    const auto store = memory_store();
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
    expect_same_as_untuned(*store, run);
  }
}

std::vector<Kind> kinds() {
  std::vector<Kind> all{kIdx,
                        {"IdxZip", "idx", {{"compression", "zip"}}, false, false, "run.idx"},
                        {"IdxAlone", "idx", {{"checksums", "false"}}, true, false, "run.idx"},
                        {"Cdf5", "cdf5", {}, true},
                        {"Cdf5Stripes", "cdf5", {{"stripe_size", "4K"}, {"stripe_count", "2"}}, true}};
#ifdef ESKER_HAVE_HDF5
  all.push_back({"Netcdf4", "netcdf4", {}, true});
  all.push_back({"Levels", "vtkhdf", {}, true, true, "run.vtkhdf.series"});
#endif
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, TunedFormats, testing::ValuesIn(kinds()),
                         [](const auto& test) { return test.param.name; });

/// The report of a run in memory that repeats these settings.
RunReport replayed(RunPlan run, const TuningRecord& record) {
  run.end_step = 1 + std::ssize(record.changes);
  run.options["tune"] = "replay:replay.json";
  const auto store = memory_store();
  store_text(*store, "replay.json", report_with(record));
  RunReport report;
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, store, run).value();
    for (Index step = 0; step < run.end_step; ++step) write_step(*pipeline, comm, run, step).check();
    RunReport mine = pipeline->report().value();
    if (comm.rank() == 0) report = std::move(mine);
    pipeline->close(Status()).check();
  });
  return report;
}

TEST(Tuning, SettingsUseTheMemoryOfThoseBefore) {
  TuningRecord record;
  for (Index step = 1; step < 8; ++step) {
    record.changes.push_back({step, step % 2 == 1 ? Setting{{"transport", "put"}} : Setting()});
  }
  const RunReport report = replayed(run_of(kIdx, 4), record);
  EXPECT_GT(report.steps[0].allocated_bytes, 0);
  for (std::size_t step = 2; step < report.steps.size(); ++step) {
    EXPECT_EQ(report.steps[step].planned, step % 2 == 1) << "puts need a new epoch";
    EXPECT_EQ(report.steps[step].allocated_bytes, 0) << step;
  }
}

// A search returns to the default after each trial.
TEST(Tuning, PlansOfTheLastSettingsAreKept) {
  TuningRecord record;
  for (Index step = 1; step < 9; ++step) {
    const char* aggregators = step % 4 == 1 ? "1" : "2";
    record.changes.push_back({step, step % 2 == 1 ? Setting{{"aggregators", aggregators}} : Setting()});
  }
  RunPlan run = run_of(kIdx, 4);
  run.seed = 5;
  const RunReport report = replayed(run, record);
  std::vector<Index> planned;
  for (const StepReport& step : report.steps) {
    if (step.planned) planned.push_back(step.step);
  }
  EXPECT_EQ(planned, (std::vector<Index>{0, 1, 3}));
}

// Settings that need other memory than those before do not get it in addition.
TEST(Tuning, AllSettingsTogetherStayWithinTheBudget) {
  for (const int n_ranks : {1, 2, 4, 7}) {
    RunPlan run = run_of(kIdx, n_ranks);
    run.memory_budget = Index{192} << 10;
    const RunReport report = replayed(run, every_setting(facts_with(n_ranks)));
    const auto peak = std::ranges::find(report.counters.amounts, "peak_buffer_bytes", &Spread::name);
    EXPECT_GT(peak->max, 0);
    EXPECT_LE(peak->max, static_cast<double>(run.memory_budget));
  }
}

/// Writing takes much longer than planning.
std::shared_ptr<Store> slow_store(const std::shared_ptr<Store>& inner,
                                  std::function<bool()> fails = nullptr) {
  return faulty_store(inner, [fails = std::move(fails)](StoreCall call, const std::string& path) {
    if (call != StoreCall::kWrite || path.find(".bin") == std::string::npos) return 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(12));
    return fails && fails() ? ENOSPC : 0;
  });
}

RunPlan slow_run() {
  RunPlan run = run_of(kIdx, 4);
  run.schema = Schema();
  const DimId x = run.schema->add_dim("x", 32).value();
  const DimId y = run.schema->add_dim("y", 32).value();
  run.schema
      ->add_field({"thk", run.schema->add_grid("xy", {x, y})->index, SampleType::kFloat64, 1, false, 1, {}})
      .status()
      .check();
  run.options["tune"] = "auto";
  run.end_step = 12;
  return run;
}

/// On a busy machine a plan may take too long for a probe.
bool plans_are_slow(const RunReport& report) {
  return report.tuning->state.find("a new plan takes") != std::string::npos;
}

TEST(Tuning, TheReportSaysWhatWasTried) {
  const RunPlan run = slow_run();
  const auto store = slow_store(memory_store());
  std::mutex mutex;
  std::vector<std::string> texts;
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, store, run).value();
    for (Index step = 0; step < run.end_step; ++step) write_step(*pipeline, comm, run, step).check();
    const RunReport report = pipeline->report().value();
    {
      const std::scoped_lock lock(mutex);
      texts.push_back(report_to_text(report));
    }
    ASSERT_TRUE(report.tuning);
    EXPECT_TRUE(!report.tuning->probes.empty() || plans_are_slow(report)) << report.tuning->state;
    EXPECT_GT(report.tuning->default_s, 0);
    EXPECT_EQ(parse_tuning(report_to_json(report)).value().changes.size(), report.tuning->changes.size());
    pipeline->close(Status()).check();
  });
  EXPECT_NE(texts[0].find("\ntuning: "), std::string::npos);
  for (const std::string& text : texts) {
    EXPECT_EQ(text.substr(text.find("\ntuning: ")), texts[0].substr(texts[0].find("\ntuning: ")));
  }
}

// A step that fails with a setting on trial fails as any other; the next one is written with the default.
TEST(Tuning, AProbeThatFailsIsAnOrdinaryFailedStep) {
  const RunPlan run = slow_run();
  const auto inner = memory_store();
  std::mutex mutex;
  std::vector<std::string> messages;
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    bool is_armed = false;
    const auto store = slow_store(inner, [&] { return is_armed; });
    auto pipeline = open_run(comm, store, run).value();
    bool has_failed = false;
    for (Index step = 0; step < run.end_step; ++step) {
      is_armed = !has_failed && step >= 4;
      Status status = write_step(*pipeline, comm, run, step);
      if (!status.ok()) {
        has_failed = true;
        is_armed = false;
        {
          const std::scoped_lock lock(mutex);
          messages.push_back(status.message());
        }
        status = write_step(*pipeline, comm, run, step);
      }
      ASSERT_TRUE(status.ok()) << status.message();
    }
    const RunReport report = pipeline->report().value();
    EXPECT_TRUE(plans_are_slow(report) || report.tuning->probes.front().verdict == "failed");
    EXPECT_TRUE(report.tuning->best.empty());
    for (const TuningRecord::Change& change : report.tuning->changes) EXPECT_TRUE(change.setting.empty());
    pipeline->close(Status()).check();
  });
  EXPECT_EQ(messages.size(), 4U);
  for (const std::string& message : messages) EXPECT_EQ(message, messages[0]);
  expect_same_as_untuned(*inner, run);
}

/// The text of the report of a run, on rank 0.
std::string report_of(const RunPlan& run, const std::shared_ptr<Store>& store) {
  std::string text;
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, store, run).value();
    for (Index step = 0; step < run.end_step; ++step) write_step(*pipeline, comm, run, step).check();
    const RunReport report = pipeline->report().value();
    if (comm.rank() == 0) text = report_to_text(report);
    pipeline->close(Status()).check();
  });
  return text;
}

// The search of the first run settles on something, which the second run knows.
TEST(Tuning, ALaterRunKnowsWhatAnEarlierOneFound) {
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  const auto inner = memory_store();
  const auto store = slow_store(inner);
  RunPlan run = slow_run();
  run.options["aggregate"] = "true";
  run.end_step = 30;
  const std::string first = report_of(run, store);
  ASSERT_NE(first.find("tuning: settled"), std::string::npos) << first;
  EXPECT_TRUE(inner->exists("/cache/esker/tuning.json").value());
  run.path = "again.idx";
  run.end_step = 6;
  const std::string again = report_of(run, store);
  const bool is_known = again.find("an earlier run found nothing better") != std::string::npos ||
                        again.find("  step 4: ") != std::string::npos;
  EXPECT_TRUE(is_known) << again;

  run.path = "damaged.idx";
  store_text(*inner, "/cache/esker/tuning.json", std::string(100, 'x'));
  EXPECT_NE(report_of(run, store).find("warning: what earlier runs found is ignored"), std::string::npos);
  run.path = "without.idx";
  run.options["tune_cache"] = "false";
  EXPECT_EQ(report_of(run, store).find("  warning: "), std::string::npos);
  ::unsetenv("XDG_CACHE_HOME");
}

// Two kinds of steps, one after the other, whose searches settle on the same.
TEST(Tuning, WhatIsFoundIsRememberedForEachWorkload) {
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  const auto store = memory_store();
  Options options;
  options.set("tune", "auto").check();
  run_ranks(1, [&](const Communicator& comm) {
    const auto tuner = StepTuner::make(*comm.get(), store, options).value();
    for (Index step = 0; step < 100; ++step) {
      const std::string workload = step < 40 ? "history" : "restart";
      (void)tuner->choose(step, workload);
      tuner->observe({step, workload, 1, 0, 0.7, facts_with(1)});
      tuner->remember();
    }
    EXPECT_TRUE(tuner->record(*comm.get()).value().best.empty());
  });
  ::unsetenv("XDG_CACHE_HOME");
  const std::string remembered = read_text(*store, "/cache/esker/tuning.json", 100000).value();
  EXPECT_NE(remembered.find(" history\""), std::string::npos) << remembered;
  EXPECT_NE(remembered.find(" restart\""), std::string::npos) << remembered;
}

/// A model that praises the thread.
std::string model_text(const std::string& machine) {
  return R"({"esker_model": 1, "predicts": "log2_step_ratio", "kind": "decision_tree", "esker": ")" ESKER_VERSION
         R"(", "machine": ")" +
         machine +
         R"(", "data": "sha256:0", "attributes": ["store_thread=true"], "base": 0, "scale": 1, "trees": [)"
         R"({"attribute": [0, -1, -1], "threshold": [0.5, 0, 0], "left": [1, 0, 0], "right": [2, 0, 0],)"
         R"( "value": [0, 0, -0.2]}]})";
}

// What the model says comes first, and the report tells it next to what was observed.
TEST(Tuning, AModelSaysWhatIsTriedFirst) {
  const auto store = slow_store(memory_store());
  store_text(*store, "/m.json", model_text(machine_name()));
  RunPlan run = slow_run();
  run.options["tune_cache"] = "false";
  run.options["tune_model"] = "/m.json";
  const std::string text = report_of(run, store);
  const bool is_first = text.find("  step 4: store_thread=true, predicted ") != std::string::npos &&
                        text.find("of a step (0.87 by the model), observed") != std::string::npos;
  EXPECT_TRUE(is_first || text.find("a new plan takes") != std::string::npos) << text;
}

TEST(Tuning, AModelThatCannotBeUsedIsIgnoredWithAWarning) {
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  const auto store = slow_store(memory_store());
  RunPlan run = slow_run();
  run.end_step = 3;
  const auto report = [&](const std::string& path) {
    run.path = path;
    return report_of(run, store);
  };
  const std::string ignored = "  warning: the model of step times is ignored: ";
  EXPECT_EQ(report("none.idx").find("  warning: "), std::string::npos) << "no model is no warning";
  store_text(*store, "/cache/esker/tune_model.json", model_text("another"));
  EXPECT_NE(
      report("other.idx").find(ignored + "/cache/esker/tune_model.json: the model is of machine 'another'"),
      std::string::npos);
  store_text(*store, "/cache/esker/tune_model.json", model_text(machine_name()).substr(0, 100));
  EXPECT_NE(report("short.idx").find(ignored), std::string::npos);
  run.options["tune_cache"] = "false";
  EXPECT_EQ(report("off.idx").find("  warning: "), std::string::npos);
  run.options["tune_model"] = "/nowhere.json";
  EXPECT_NE(report("missing.idx").find(ignored), std::string::npos);
  ::unsetenv("XDG_CACHE_HOME");
}

// The cache may be read-only, or its disk full.
TEST(Tuning, WithoutAccessToTheCacheARunWritesTheSame) {
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  for (const auto& denied : {std::set{StoreCall::kWrite}, {StoreCall::kOpen}, {StoreCall::kRename}}) {
    const auto inner = memory_store();
    const auto store = faulty_store(slow_store(inner), [&](StoreCall call, const std::string& path) {
      return path.starts_with("/cache") && denied.contains(call) ? EACCES : 0;
    });
    RunPlan run = slow_run();
    run.end_step = 20;
    ASSERT_TRUE(write_all(store, run).ok());
    EXPECT_TRUE(names_in(*inner, "/cache/esker").empty());
    expect_same_as_untuned(*inner, run);
  }
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(Tuning, TwoRunsAtOnceShareTheCache) {
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  const auto inner = memory_store();
  std::array<Status, 2> statuses;
  std::vector<std::thread> runs;
  for (const std::size_t i : {0, 1}) {
    runs.emplace_back([&, i] {
      RunPlan run = slow_run();
      run.n_ranks = 2;
      run.path = "run" + std::to_string(i) + ".idx";
      run.end_step = 24;
      statuses[i] = write_all(slow_store(inner), run);
    });
  }
  for (std::thread& run : runs) run.join();
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status.message();
  for (const std::string& name : names_in(*inner, "/cache/esker")) EXPECT_EQ(name, "tuning.json");
  if (inner->exists("/cache/esker/tuning.json").value()) {
    EXPECT_TRUE(recall(*inner, "/cache/esker/tuning.json", "a key of no run").ok());
  }
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(Tuning, ARunOfOneStepIsWrittenWithTheDefault) {
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  const auto store = memory_store();
  RunPlan run = slow_run();
  run.end_step = 1;
  const std::string text = report_of(run, store);
  EXPECT_NE(text.find("\ntuning: "), std::string::npos);
  EXPECT_EQ(text.find("  step 0: "), std::string::npos) << text;
  EXPECT_FALSE(store->exists("/cache/esker/tuning.json").value());
  expect_same_as_untuned(*store, run);
  ::unsetenv("XDG_CACHE_HOME");
}

std::string report_with_change(const TuningRecord::Change& change) {
  TuningRecord record;
  record.changes.push_back(change);
  return report_with(record);
}

// The stripes of the store that it was written to are not known here.
TEST(Tuning, ASettingThatCannotBeRepeatedStaysAnError) {
  RunPlan run = run_of({"Cdf5", "cdf5"}, 3);
  run.options["tune"] = "replay:replay.json";
  const auto store = memory_store();
  store_text(*store, "replay.json", report_with_change({1, {{"pattern", "stripes"}}}));
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, store, run).value();
    write_step(*pipeline, comm, run, 0).check();
    for (int attempt = 0; attempt < 2; ++attempt) {
      const Status status = write_step(*pipeline, comm, run, 1);
      EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.message();
      EXPECT_NE(status.message().find("pattern=stripes"), std::string::npos) << status.message();
    }
    pipeline->close(Status()).check();
  });
}

TEST(Tuning, AReportThatCannotBeRepeatedIsAnErrorOnAllRanks) {
  const std::vector<std::pair<std::string, Code>> reports{
      {"", Code::kNotFound},
      {"{", Code::kDataLoss},
      {"{\"tuning\": 3}", Code::kDataLoss},
      {report_with_change({3, {{"bits_per_block", "3"}}}), Code::kDataLoss},
      {report_with_change({3, {{"aggregators", "many"}}}), Code::kDataLoss},
      {report_with_change({-1, {}}), Code::kDataLoss}};
  for (const auto& report : reports) {
    const std::string& text = report.first;
    RunPlan run = slow_run();
    run.options["tune"] = "replay:replay.json";
    const auto store = memory_store();
    if (!text.empty()) store_text(*store, "replay.json", text);
    run_ranks(run.n_ranks, [&](const Communicator& comm) {
      const Status status = open_run(comm, store, run).status();
      EXPECT_EQ(status.code(), report.second) << text << ": " << status.message();
      EXPECT_NE(status.message().find("replay.json"), std::string::npos) << status.message();
    });
  }
}

}  // namespace
}  // namespace esker
