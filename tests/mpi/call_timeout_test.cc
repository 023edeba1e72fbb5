// Option call_timeout: an error names a rank that never makes the call of the others, and no rank waits
// forever.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "esker/esker.hpp"
#include "support/fault_fixture.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture

constexpr Index kWidth = 8;

class CallTimeoutTest : public FaultTest {
 protected:
  /// On a separate communicator, which may be freed.
  Writer create(double limit_s) {
    Options options;
    options.report = "none";
    options.overwrite = true;
    options.call_timeout = limit_s;
    Writer writer = Writer::create(path("run.idx"), mpi_communicator(MPI_COMM_WORLD), options).value();
    const DimId x = writer.def_dim("x", kWidth * comm_.size()).value();
    (void)writer.def_field(writer.def_grid("line", {x}).value(), "temp", SampleType::kFloat32).value();
    return writer;
  }

  Status step(Writer& writer, double time) {
    const Box mine{{comm_.rank() * kWidth}, {(comm_.rank() + 1) * kWidth}};
    writer.begin_step(time).check();
    writer.put(FieldId{0}, Patch::dense(mine, samples_.data())).check();
    return writer.end_step();
  }

  std::vector<float> samples_ = std::vector<float>(kWidth, 1.0F);
};

TEST_F(CallTimeoutTest, NamesARankThatDoesNotCallAndEndsTheWriter) {
  if (comm_.size() == 1) GTEST_SKIP() << "needs a rank that waits";
  for (const int victim : victims()) {
    if (victim == kAllRanks) continue;
    const std::string name = "rank " + std::to_string(victim) + " does not come";
    SCOPED_TRACE(name);
    const Watchdog watchdog(name);
    Writer writer = create(2);
    ASSERT_TRUE(step(writer, 0).ok());
    comm_.get()->barrier();
    std::string text;
    if (!is_victim(victim)) {
      const Status failed = step(writer, 1);
      EXPECT_EQ(failed.code(), Code::kMismatchedCall) << failed.message();
      text = failed.message();
      EXPECT_NE(text.find("end_step"), std::string::npos) << text;
      EXPECT_NE(text.find("none within 2 s on rank " + std::to_string(victim)), std::string::npos) << text;
      for (const Status& later : {step(writer, 1), writer.report_text().status(), writer.close()}) {
        EXPECT_EQ(later.message(), text);
      }
      EXPECT_TRUE(writer.close().ok()) << "it is closed";
    }
    const std::string of_one = share_text(*comm_.get(), text, victim == 0 ? 1 : 0).value();
    if (!is_victim(victim)) {
      EXPECT_EQ(text, of_one);
    } else {
      const Status late = step(writer, 1);
      EXPECT_EQ(late.code(), Code::kMismatchedCall) << late.message();
      EXPECT_TRUE(victim == 0 || late.message() == of_one) << late.message();
      EXPECT_EQ(writer.close().code(), Code::kMismatchedCall);
    }
    comm_.get()->barrier();
    EXPECT_FALSE(std::filesystem::exists(path("run.esker-lock")));
    EXPECT_EQ(Dataset::open(path("run.idx")).value().steps(), std::vector<double>{0});
    comm_.get()->barrier();
    if (!all_well()) return;
  }
}

TEST_F(CallTimeoutTest, ARankThatDoesNotCreateDoesNotBlockOthers) {
  if (comm_.size() == 1) GTEST_SKIP() << "needs a rank that waits";
  const Watchdog watchdog("a rank does not create");
  Options options;
  options.call_timeout = 1;
  const Communicator own = mpi_communicator(MPI_COMM_WORLD);
  const auto create = [&] { return Writer::create(path("run.idx"), own, options).status(); };
  if (!is_last_rank()) {
    const Status failed = create();
    EXPECT_EQ(failed.code(), Code::kMismatchedCall) << failed.message();
    EXPECT_NE(failed.message().find("create here; none within 1 s"), std::string::npos) << failed.message();
    EXPECT_EQ(create().message(), failed.message());
  }
  comm_.get()->barrier();
  if (is_last_rank()) {
    EXPECT_EQ(create().code(), Code::kMismatchedCall) << "it comes late";
  }
  EXPECT_FALSE(std::filesystem::exists(path("run.esker-lock")));
}

TEST_F(CallTimeoutTest, WaitsForLateRanksAndKeepsOtherErrors) {
  const Watchdog watchdog("late ranks");
  Writer writer = create(25);
  for (int number = 0; number < 4; ++number) {
    const int order = number % 2 == 0 ? comm_.rank() : comm_.size() - 1 - comm_.rank();
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * order));
    EXPECT_TRUE(step(writer, number).ok());
  }
  if (comm_.size() > 1) {
    const Status failed = is_last_rank() ? writer.rewind(1) : step(writer, 9);
    expect_everywhere(failed, Code::kMismatchedCall);
    EXPECT_NE(failed.message().find("rewind"), std::string::npos) << failed.message();
  }
  if (is_last_rank()) writer.fail({Code::kUnsupported, "mine"});
  expect_everywhere(step(writer, 9), Code::kUnsupported);
  EXPECT_TRUE(step(writer, 9).ok());
  EXPECT_TRUE(writer.close().ok());
}

}  // namespace
}  // namespace esker
