// A wrong patch, definition or call on one rank is the same error on all ranks, which names this rank. The
// next step succeeds.
#include <gtest/gtest.h>

#include <functional>

#include "esker/esker.hpp"
#include "support/fault_fixture.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture

constexpr Index kRowWidth = 24;

Options quiet() {
  Options options;
  options.report = "none";
  options.bits_per_block = 4;
  return options;
}

/// Every rank holds an equal share of a line of samples.
struct Line {
  explicit Line(const Communicator& comm)
      : box{{comm.rank() * kRowWidth}, {(comm.rank() + 1) * kRowWidth}},
        samples(kRowWidth, comm.rank() + 1.0F) {}
  Box box;
  std::vector<float> samples;
};

struct Misuse {
  std::string name;
  Code code;
  /// The rank's calls instead of putting its line; the other ranks put and end the step.
  std::function<Status(Writer&, FieldId, const Line&)> act;
  std::string word;  ///< in the message
};

std::vector<Misuse> misuses() {
  const auto put = [](auto change) {
    return [change](Writer& writer, FieldId field, const Line& line) {
      writer.begin_step(1).check();
      Patch patch = Patch::dense(line.box, line.samples.data());
      change(patch);
      (void)writer.put(field, patch);
      return writer.end_step();
    };
  };
  return {
      {"outside", Code::kOutOfRange, put([](Patch& patch) { patch.box.hi[0] += 1000; }), "'temp'"},
      {"type", Code::kInvalidArgument, put([](Patch& patch) { patch.type = SampleType::kInt16; }), "int16"},
      {"null", Code::kInvalidArgument, put([](Patch& patch) { patch.data = nullptr; }), "no data"},
      {"axes", Code::kInvalidArgument, put([](Patch& patch) { patch.box.rank = 2; }), "2 axes"},
      {"gap", Code::kInvalidArgument, put([](Patch& patch) { patch.box.hi[0] -= 1; }), "no rank put"},
      {"field", Code::kInvalidArgument,
       [](Writer& writer, FieldId, const Line& line) {
         writer.begin_step(1).check();
         (void)writer.put(FieldId{17}, Patch::dense(line.box, line.samples.data()));
         return writer.end_step();
       },
       "17"},
      {"what the caller found", Code::kUnsupported,
       [](Writer& writer, FieldId, const Line&) {
         writer.begin_step(1).check();
         writer.fail({Code::kUnsupported, "the caller's reason"});
         writer.fail({Code::kIoError, "a later reason"});
         return writer.end_step();
       },
       "the caller's reason"},
      {"overlap", Code::kInvalidArgument,
       [](Writer& writer, FieldId field, const Line& line) {
         writer.begin_step(1).check();
         for (int i = 0; i < 2; ++i) writer.put(field, Patch::dense(line.box, line.samples.data())).check();
         return writer.end_step();
       },
       "overlap"},
      {"no step", Code::kWrongOrder, [](Writer& writer, FieldId, const Line&) { return writer.end_step(); },
       "no step is open"},
      {"earlier time", Code::kInvalidArgument,
       [](Writer& writer, FieldId, const Line&) {
         (void)writer.begin_step(-1);
         return writer.end_step();
       },
       "-1"},
  };
}

/// Only when the ranks differ.
std::vector<Misuse> mismatches() {
  return {
      {"time", Code::kMismatchedCall,
       [](Writer& writer, FieldId field, const Line& line) {
         writer.begin_step(2).check();
         writer.put(field, Patch::dense(line.box, line.samples.data())).check();
         return writer.end_step();
       },
       "time 2"},
      {"rewind", Code::kMismatchedCall, [](Writer& writer, FieldId, const Line&) { return writer.rewind(0); },
       "rewind"},
      {"report", Code::kMismatchedCall,
       [](Writer& writer, FieldId, const Line&) { return writer.report_text().status(); }, "report"},
  };
}

class MisuseTest : public FaultTest {
 protected:
  FieldId define(Writer& writer) {
    const DimId x = writer.def_dim("x", kRowWidth * comm_.size()).value();
    const GridId grid = writer.def_grid("line", {x}).value();
    return writer.def_field(grid, "temp", SampleType::kFloat32).value();
  }

  Status good_step(Writer& writer, FieldId field, double time) {
    writer.begin_step(time).check();
    writer.put(field, Patch::dense(line_.box, line_.samples.data())).check();
    return writer.end_step();
  }

  void misuse_steps(const std::map<std::string, std::string>& way);

  Line line_{comm_};
};

TEST_F(MisuseTest, OfAStepIsAgreedAndTheNextStepSucceeds) {
  for (const auto& way : ways_to_move()) {
    misuse_steps(way);
    if (!all_well()) return;
  }
}

TEST_F(MisuseTest, OfAStepOfANetcdfFileIsAgreedAndTheNextStepSucceeds) {
  for (const char* format : {"cdf5", "netcdf4", "cdf5+idx"}) {
    Options options;
    options.set("format", format).check();
    const Status known = make_format_writer(memory_store(), "a", options).status();
    if (!known.ok()) GTEST_SKIP() << known.message();
    misuse_steps({{"format", format}});
    if (!all_well()) return;
  }
}

void MisuseTest::misuse_steps(const std::map<std::string, std::string>& way) {
  Options options = quiet();
  options.overwrite = true;
  for (const auto& [name, value] : way) options.set(name, value).check();
  Writer writer = Writer::create(path(options.format), comm_, options).value();
  const FieldId field = define(writer);
  ASSERT_TRUE(good_step(writer, field, 0).ok());
  std::vector<Misuse> all = misuses();
  if (comm_.size() > 1) {
    for (const Misuse& misuse : mismatches()) all.push_back(misuse);
  }
  for (const Misuse& misuse : all) {
    for (const int victim : victims()) {
      if (victim == kAllRanks && misuse.code == Code::kMismatchedCall) continue;
      SCOPED_TRACE(misuse.name + " on rank " + std::to_string(victim) + ", " + text_of(way));
      const Watchdog watchdog(misuse.name);
      const Status failed =
          is_victim(victim) ? misuse.act(writer, field, line_) : good_step(writer, field, 1);
      expect_everywhere(failed, misuse.code);
      EXPECT_NE(failed.message().find(misuse.word), std::string::npos) << failed.message();
      const Status again = good_step(writer, field, 1);
      EXPECT_TRUE(again.ok()) << again.message();
      EXPECT_TRUE(writer.rewind(0).ok());
      if (!all_well()) return;
    }
  }
  EXPECT_TRUE(writer.close().ok());
}

// A rank that leaves before or after the first step does not block the others.
TEST_F(MisuseTest, AnAbandonedWriterEndsOnAllRanks) {
  const Status reason{Code::kUnsupported, "the caller's reason"};
  for (const Index n_good : {0, 1}) {
    for (const int victim : victims()) {
      SCOPED_TRACE(std::to_string(n_good) + " steps, rank " + std::to_string(victim));
      const Watchdog watchdog("abandon");
      Options options = quiet();
      options.overwrite = true;
      Writer writer = Writer::create(path("run.idx"), comm_, options).value();
      const FieldId field = define(writer);
      for (Index step = 0; step < n_good; ++step) EXPECT_TRUE(good_step(writer, field, step).ok());
      if (!is_victim(victim)) {
        for (int i = 0; i < 2; ++i) {  // the others may need some time to detect it
          const Status failed = good_step(writer, field, 10);
          EXPECT_EQ(failed.code(), Code::kMismatchedCall);
          EXPECT_NE(failed.message().find(reason.message()), std::string::npos) << failed.message();
        }
      }
      const Status ended = writer.abandon(is_victim(victim) ? reason : Status());
      expect_everywhere(ended, Code::kUnsupported);
      EXPECT_NE(ended.message().find(reason.message()), std::string::npos) << ended.message();
      EXPECT_EQ(writer.begin_step(20).code(), Code::kWrongOrder);
      EXPECT_FALSE(std::filesystem::exists(path("run.esker-lock")));
      if (comm_.rank() == 0 && n_good > 0) {
        EXPECT_EQ(Dataset::open(path("run.idx")).value().steps(), std::vector<double>{0});
      }
      if (!all_well()) return;
    }
  }
}

// Ranks that receive this error can also close.
TEST_F(MisuseTest, ClosingEndsAWriterThatAnotherRankAbandoned) {
  for (const Index n_good : {0, 1}) {
    for (const int victim : victims()) {
      SCOPED_TRACE(std::to_string(n_good) + " steps, rank " + std::to_string(victim));
      const Watchdog watchdog("close after abandon");
      Options options = quiet();
      options.overwrite = true;
      std::filesystem::path dataset = path("left-" + std::to_string(n_good) + ".idx");
      Writer writer = Writer::create(dataset, comm_, options).value();
      const FieldId field = define(writer);
      for (Index step = 0; step < n_good; ++step) EXPECT_TRUE(good_step(writer, field, step).ok());
      const Status ended =
          is_victim(victim) ? writer.abandon({Code::kUnsupported, "the caller's reason"}) : writer.close();
      // Without a step, ranks that close first agree on the definitions, and find that the others do not.
      const bool is_mismatch = n_good == 0 && victim != kAllRanks && comm_.size() > 1;
      expect_everywhere(ended, is_mismatch ? Code::kMismatchedCall : Code::kUnsupported);
      EXPECT_NE(ended.message().find("the caller's reason"), std::string::npos) << ended.message();
      if (comm_.rank() == 0) {
        EXPECT_EQ(Dataset::open(dataset).ok(), n_good > 0) << "an abandoned writer creates no dataset";
      }
      comm_.get()->barrier();
      if (comm_.rank() == 0) {
        std::filesystem::remove(dataset);
        std::filesystem::remove_all(dataset.replace_extension());
      }
      comm_.get()->barrier();
      if (!all_well()) return;
    }
  }
}

// Before or after the first step, with any calls of the others before they close: no rank waits forever, and
// all ranks receive the error.
TEST_F(MisuseTest, ARankThatClosesEarlyWaitsForTheOthersToClose) {
  if (comm_.size() == 1) GTEST_SKIP() << "needs two ranks to differ";
  using Call = std::function<Status(Writer&, FieldId)>;
  const Call step = [&](Writer& writer, FieldId field) { return good_step(writer, field, 10); };
  const Call rewind = [](Writer& writer, FieldId) { return writer.rewind(0); };
  const Call report = [](Writer& writer, FieldId) { return writer.report_text().status(); };
  const std::vector<std::vector<Call>> orders{
      {}, {step}, {rewind}, {report}, {step, step}, {report, step}, {rewind, report}, {step, rewind, step}};
  for (std::size_t order = 0; order < orders.size(); ++order) {
    for (const Index n_good : {0, 1}) {
      for (const bool abandons : {false, true}) {
        for (const int victim : victims()) {
          if (victim == kAllRanks) continue;
          const std::string name = "order " + std::to_string(order) + ", " + std::to_string(n_good) +
                                   " steps, " + (abandons ? "abandoned" : "closed") + ", rank " +
                                   std::to_string(victim);
          SCOPED_TRACE(name);
          const Watchdog watchdog(name);
          Options options = quiet();
          options.overwrite = true;
          Writer writer = Writer::create(path("run.idx"), comm_, options).value();
          const FieldId field = define(writer);
          for (Index n = 0; n < n_good; ++n) EXPECT_TRUE(good_step(writer, field, n).ok());
          bool any_failed = false;
          if (!is_victim(victim)) {
            for (const Call& call : orders[order]) any_failed = !call(writer, field).ok() || any_failed;
          }
          const Status ended = abandons && !is_victim(victim) ? writer.abandon({}) : writer.close();
          const bool differ = lowest_rank_with(any_failed) >= 0 || (abandons && n_good == 0);
          expect_everywhere(ended, differ ? Code::kMismatchedCall : Code::kOk);
          EXPECT_TRUE(writer.close().ok());
          EXPECT_EQ(writer.begin_step(20).code(), Code::kWrongOrder);
          EXPECT_FALSE(std::filesystem::exists(path("run.esker-lock")));
          if (!all_well()) return;
        }
      }
    }
  }
}

// The others drop the writer after the error, or keep it and make no call for a while.
TEST_F(MisuseTest, ARankThatClosesLeavesRanksThatNeverEndTheWriter) {
  if (comm_.size() == 1) GTEST_SKIP() << "needs two ranks to differ";
  constexpr double kPatience = 1;
  for (const bool others_drop_it : {true, false}) {
    for (const int victim : victims()) {
      if (victim == kAllRanks) continue;
      const std::string name = "rank " + std::to_string(victim) + (others_drop_it ? ", dropped" : ", kept");
      SCOPED_TRACE(name);
      const Watchdog watchdog(name);
      RunPlan run = plan(kSubjects[0]);
      run.overwrite = true;
      const Communicator own = mpi_communicator(MPI_COMM_WORLD);  // it ends
      auto pipeline = open_run(own, posix_store(), run).value();
      EXPECT_TRUE(write_step(*pipeline, own, run, 0).ok());
      const Status ended =
          is_victim(victim) ? pipeline->close({}, {}, kPatience) : write_step(*pipeline, own, run, 1);
      if (!is_victim(victim) && others_drop_it) pipeline.reset();
      expect_everywhere(ended, Code::kMismatchedCall);
      for (const char* call : {"close() on rank", "end_step(step 1, time"}) {
        EXPECT_NE(ended.message().find(call), std::string::npos) << ended.message();
      }
      if (!is_victim(victim) && pipeline) {
        for (const Status& late : {write_step(*pipeline, own, run, 1), pipeline->close({})}) {
          EXPECT_EQ(late.code(), Code::kCancelled);
          EXPECT_NE(late.message().find("rank " + std::to_string(victim) + " has left"), std::string::npos)
              << late.message();
        }
      }
      comm_.get()->barrier();
      EXPECT_FALSE(std::filesystem::exists(path("run.esker-lock")));
      EXPECT_EQ(Dataset::open(run.path).value().steps().size(), 1U);
      expect_clean(run, 1);
      if (!all_well()) return;
    }
  }
}

TEST_F(MisuseTest, OptionsThatSomeRankCouldNotLoadAreAnErrorOnAll) {
  for (const int victim : victims()) {
    const Watchdog watchdog("options");
    Result<Options> options = quiet();
    if (is_victim(victim)) options = Status(Code::kNotFound, "no such configuration");
    for (auto* open : {Writer::create, Writer::append}) {
      const Status failed = open(path("run.idx"), comm_, options).status();
      expect_everywhere(failed, Code::kNotFound);
      EXPECT_NE(failed.message().find("no such configuration"), std::string::npos) << failed.message();
    }
  }
}

TEST_F(MisuseTest, DifferentDefinitionsAreNamed) {
  if (comm_.size() == 1) GTEST_SKIP() << "needs two ranks to differ";
  for (const std::string what : {"order", "size", "type", "one more", "name"}) {
    for (const int victim : victims()) {
      if (victim == kAllRanks) continue;
      SCOPED_TRACE(what + " on rank " + std::to_string(victim));
      const Watchdog watchdog(what);
      Writer writer = Writer::create(path("run.idx"), comm_, quiet()).value();
      const auto differs = [&](const char* here) { return is_victim(victim) && what == here; };
      const DimId x = writer.def_dim("x", differs("size") ? 7 : 8).value();
      const GridId grid = writer.def_grid("line", {x}).value();
      std::vector<std::string> names{"a", differs("name") ? "c" : "b"};
      if (differs("order")) std::swap(names[0], names[1]);
      if (differs("one more")) names.push_back("d");
      for (const std::string& name : names) {
        writer.def_field(grid, name, differs("type") ? SampleType::kInt8 : SampleType::kFloat32)
            .status()
            .check();
      }
      writer.begin_step(0).check();
      expect_everywhere(writer.end_step(), Code::kMismatchedCall);
      EXPECT_FALSE(std::filesystem::exists(path("run.idx")));
    }
  }
}

struct Detail {
  std::string name;
  std::function<void(Writer&, GridId, bool differs)> define;
  std::string word;  ///< in the message
};

std::vector<Detail> details() {
  const std::string long_text(5000, 'a');
  return {
      {"attribute", [](Writer& w, GridId, bool differs) { w.put_att("title", differs ? "b" : "a").check(); },
       "attribute 'title' of the dataset: "},
      {"attribute on some ranks",
       [](Writer& w, GridId, bool differs) {
         if (differs) w.put_att("title", "a").check();
       },
       "attribute 'title' of the dataset: "},
      {"end of a long text",
       [=](Writer& w, GridId grid, bool differs) {
         w.put_att(grid, "history", long_text + (differs ? "b" : "")).check();
       },
       "attribute 'history' of grid line: 'aaaa"},
      {"type of an attribute",
       [](Writer& w, GridId, bool differs) {
         w.put_att("n", differs ? AttributeValue(std::vector<Index>{1}) : std::vector<double>{1}).check();
       },
       "int64 1"},
      {"attribute of a field",
       [](Writer& w, GridId grid, bool differs) {
         const FieldId field = w.def_field(grid, "f", SampleType::kInt8).value();
         w.put_att(field, "range", std::vector<double>{0, differs ? 1e9 : 1}).check();
       },
       "attribute 'range' of field f: "},
      {"attribute of the time",
       [](Writer& w, GridId, bool differs) { w.put_time_att("units", differs ? "s" : "days").check(); },
       "attribute 'units' of the time: "},
      {"coordinates",
       [](Writer& w, GridId grid, bool differs) {
         std::vector<double> values{0, 1, 2, 3, 4, 5, 6, 7};
         if (differs) values.back() = 7.5;
         w.def_coords(grid, "x", values).check();
       },
       "coordinates x of grid line: 8 numbers of float64 (hash "},
      {"typed coordinates",
       [](Writer& w, GridId grid, bool differs) {
         std::vector<std::int64_t> values{0, 1, 2, 3, 4, 5, 6, std::int64_t{1} << 60};
         if (differs) ++values.back();  // the same as float64
         w.def_coords(grid, "x", Numbers(values)).check();
       },
       "coordinates x of grid line: 8 numbers of int64 (hash "},
      {"scalar",
       [](Writer& w, GridId, bool differs) {
         w.def_scalar("gravity", std::vector<float>{differs ? 9.8F : 9.81F}).status().check();
       },
       "value of gravity: float32 9.8"},
      {"time", [](Writer& w, GridId, bool differs) { w.def_time(differs ? "t" : "time").check(); },
       " t:float64)"},
  };
}

TEST_F(MisuseTest, DifferentAttributesCoordinatesAndScalarsAreNamed) {
  if (comm_.size() == 1) GTEST_SKIP() << "needs two ranks to differ";
  for (const Detail& detail : details()) {
    for (const int victim : victims()) {
      SCOPED_TRACE(detail.name + " on rank " + std::to_string(victim));
      const Watchdog watchdog(detail.name);
      Options options = quiet();
      options.overwrite = true;
      Writer writer = Writer::create(path("run.idx"), comm_, options).value();
      const DimId x = writer.def_dim("x", 8).value();
      const GridId grid = writer.def_grid("line", {x}).value();
      detail.define(writer, grid, is_victim(victim));
      writer.def_field(grid, "mask", SampleType::kInt8, {.fixed = true}).status().check();
      const Status ended = writer.close();
      expect_everywhere(ended, victim == kAllRanks ? Code::kOk : Code::kMismatchedCall);
      if (victim != kAllRanks) {
        EXPECT_NE(ended.message().find(detail.word), std::string::npos) << ended.message();
        EXPECT_EQ(ended.message().find('\n'), std::string::npos) << ended.message();
        EXPECT_LT(ended.message().size(), 600U) << ended.message();
      }
      if (!all_well()) return;
    }
  }
}

TEST_F(MisuseTest, NamesDifferentOpeningsAndUsesTheOptionsOfRankZero) {
  if (comm_.size() == 1) GTEST_SKIP() << "needs two ranks to differ";
  for (const int victim : victims()) {
    if (victim == kAllRanks) continue;
    const Watchdog watchdog("openings");
    const bool me = is_victim(victim);
    expect_everywhere(Writer::create(path(me ? "other.idx" : "run.idx"), comm_, quiet()).status(),
                      Code::kMismatchedCall);
    expect_everywhere((me ? Writer::append : Writer::create)(path("run.idx"), comm_, quiet()).status(),
                      Code::kMismatchedCall);
    Options options = quiet();
    options.overwrite = true;
    if (me && victim != 0) options.bits_per_block = 11;
    Writer writer = Writer::create(path("run.idx"), comm_, options).value();
    const FieldId field = define(writer);
    EXPECT_TRUE(good_step(writer, field, 0).ok());
    EXPECT_TRUE(writer.close().ok());
  }
}

}  // namespace
}  // namespace esker
