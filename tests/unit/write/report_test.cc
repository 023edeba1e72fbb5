// The report as JSON: its text, and memory that runs out while it is written.
#include "write/report.h"

#include <gtest/gtest.h>

#include "base/guarded.h"
#include "support/test_new.h"

namespace esker {
namespace {

RunReport sample() {
  RunReport report;
  report.ranks = 3;
  report.transport = {"messages", "not shared: \"why\""};
  report.storage = {"files", 1 << 20, 4, {{"cb_nodes", "2"}}};
  report.counters.phases = {{"plan", 0, 0.25, 1}};
  report.counters.critical_path = {0.5};
  report.counters.amounts = {{"put_bytes", 1, 2, 3}};
  StepReport step;
  step.step = 1;
  step.time = 2.5;
  step.data_bytes = 100;
  step.stored_bytes = 150;
  step.seconds = 0.5;
  step.files = 2;
  step.planned = true;
  report.steps = {step};
  report.configuration = {{"fsync", "none", "built-in", "help"}};
  return report;
}

TEST(Report, TheLineOfAStepHasTheRateOfWhatItStores) {
  StepReport step = sample().steps.front();
  step.data_bytes = 2000000000;
  step.stored_bytes = 2000000000;
  EXPECT_NE(step.to_string().find(" in 0.5 s, 4 GB/s,"), std::string::npos) << step.to_string();
  step.stored_bytes = 500000000;  // a sparse or a compressed step
  EXPECT_NE(step.to_string().find(" stored of "), std::string::npos) << step.to_string();
  EXPECT_NE(step.to_string().find(" in 0.5 s, 1 GB/s,"), std::string::npos) << step.to_string();
}

TEST(Report, AsJson) {
  const std::string json = report_to_json(sample());
  EXPECT_EQ(json.substr(0, json.find("  \"steps_that_planned\"")), R"({
  "ranks": 3,
  "storage": {
    "pattern": "files",
    "stripe_size": 1048576,
    "stripe_count": 4,
    "hints": {
      "cb_nodes": "2"
    }
  },
  "transport": {
    "used": "messages",
    "reason": "not shared: \"why\""
  },
  "total": {
    "data_bytes": 100,
    "stored_bytes": 150,
    "stored_over_data": 1.5,
    "seconds": 0.5,
    "GBps": 2e-07,
    "files": 2
  },
)");
  EXPECT_EQ(json.substr(json.find("  \"configuration\"")), R"(  "configuration": {
    "fsync": {
      "value": "none",
      "source": "built-in"
    }
  }
}
)");
}

TEST(Report, AsTextNamesTheOptionsThatSomeoneChose) {
  RunReport report = sample();
  report.configuration.push_back({"format", "cdf5", "program", "help"});
  const std::string text = report_to_text(report);
  EXPECT_EQ(text.substr(text.find("options:")), "options: format=cdf5 (program), 1 built-in\n");
}

TEST(Report, AFailingAllocationIsAnError) {
  const RunReport report = sample();
  const auto print = [&] {
    (void)report_to_json(report);
    return Status();
  };
  for (long n = 0;; ++n) {
    Code code = Code::kOk;
    long num_failed = 0;
    {
      const testing_support::FailingNew failing({n, 0, true});
      code = guarded("print", print).code();
      num_failed = testing_support::FailingNew::num_failed();
    }
    if (num_failed == 0) break;
    EXPECT_EQ(code, Code::kOutOfMemory) << n;
  }
}

}  // namespace
}  // namespace esker
