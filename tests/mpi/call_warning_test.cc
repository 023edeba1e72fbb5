// Option call_warning: a warning on stderr names the ranks that others wait for, and the run continues.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "comm/gather.h"
#include "esker/esker.hpp"
#include "store/faulty_store.h"
#include "support/fault_fixture.h"
#include "support/runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture

constexpr auto kStall = std::chrono::milliseconds(2500);

class CallWarningTest : public FaultTest {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    if (comm_.size() == 1) GTEST_SKIP() << "needs a rank that waits";
  }
  [[nodiscard]] RunPlan run(const std::string& limit) const {
    RunPlan run{.single = true, .overwrite = true, .path = path("run.idx")};
    run.options = {{"call_warning", limit}};
    return run;
  }

  /// The output of all ranks on stderr while `body` ran.
  template <class Body>
  std::string warnings_of(const Body& body) {
    testing::internal::CaptureStderr();
    body();
    comm_.get()->barrier();
    std::string all;
    const std::string mine = testing::internal::GetCapturedStderr();
    const auto gathered = gather(*comm_.get(), std::as_bytes(std::span(mine))).value();
    for (const auto bytes : gathered.of_rank) {
      all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return all;
  }

  const std::string last_ = "rank " + std::to_string(comm_.size() - 1);
};

TEST_F(CallWarningTest, NamesARankThatDoesNotCallWithItsLastCall) {
  const Communicator own = mpi_communicator(MPI_COMM_WORLD);
  auto pipeline = open_run(own, posix_store(), run("1")).value();
  write_step(*pipeline, own, run("1"), 0).check();
  const std::string said = warnings_of([&] {
    if (is_last_rank()) std::this_thread::sleep_for(kStall);
    EXPECT_TRUE(write_step(*pipeline, own, run("1"), 1).ok());
  });
  const std::string waits = " in end_step(step 1, time 10): " + last_ + " has not entered the call";
  EXPECT_NE(said.find(waits), std::string::npos) << said;
  EXPECT_NE(said.find("its last one was end_step(step 0, time 0)"), std::string::npos) << said;
  EXPECT_EQ(said.find("warning"), said.rfind("warning")) << "one of them speaks: " << said;
  pipeline->close({}).check();
}

TEST_F(CallWarningTest, NamesARankThatStopsInsideACall) {
  const Communicator own = mpi_communicator(MPI_COMM_WORLD);
  bool stalls = false;
  const auto store = faulty_store(posix_store(), [&](StoreCall call, const std::string& file) {
    if (std::exchange(stalls, stalls && !(call == StoreCall::kWrite && file.ends_with(".bin"))) && !stalls) {
      std::this_thread::sleep_for(kStall);
    }
    return 0;
  });
  RunPlan plan = run("1");
  plan.aggregators = comm_.size();
  plan.options["store_thread"] = "false";
  auto pipeline = open_run(own, store, plan).value();
  const std::string said = warnings_of([&] {
    stalls = comm_.rank() == 0;
    EXPECT_TRUE(write_step(*pipeline, own, plan, 0).ok());
  });
  EXPECT_NE(said.find("rank 0 is in the call but not waiting"), std::string::npos) << said;
  pipeline->close({}).check();
}

TEST_F(CallWarningTest, DoesNotWarnIfDisabledOrIfRanksCallInTime) {
  for (const std::string limit : {"0", "30"}) {
    const Communicator own = mpi_communicator(MPI_COMM_WORLD);
    auto pipeline = open_run(own, posix_store(), run(limit)).value();
    const std::string said = warnings_of([&] {
      if (is_last_rank()) std::this_thread::sleep_for(std::chrono::milliseconds(400));
      EXPECT_TRUE(write_step(*pipeline, own, run(limit), 0).ok());
    });
    EXPECT_EQ(said.find("warning"), std::string::npos) << said;
    pipeline->close({}).check();
  }
}

TEST_F(CallWarningTest, NamesARankThatNeverCreates) {
  Options options;
  options.call_warning = 1;
  const Communicator own = mpi_communicator(MPI_COMM_WORLD);
  const std::string said = warnings_of([&] {
    if (is_last_rank()) std::this_thread::sleep_for(kStall);
    Writer::create(path("other.idx"), own, options).value().close().check();
  });
  EXPECT_NE(said.find(" in create("), std::string::npos) << said;
  EXPECT_NE(said.find(last_ + " has made no call yet"), std::string::npos) << said;
}

TEST_F(CallWarningTest, ALowerLimitAppliesImmediately) {
  const Communicator own = mpi_communicator(MPI_COMM_WORLD);
  auto pipeline = open_run(own, posix_store(), run("30")).value();  // checked every 5 s
  pipeline->close({}).check();
  const auto begin = std::chrono::steady_clock::now();
  const std::string said = warnings_of([&] {
    Options options;
    options.call_warning = 1;
    if (is_last_rank()) std::this_thread::sleep_for(kStall);
    Writer::create(path("other.idx"), own, options).value().close().check();
  });
  if (std::chrono::steady_clock::now() - begin < 2 * kStall) {  // otherwise the next check finds it anyway
    EXPECT_NE(said.find(last_ + " has not"), std::string::npos) << said;
  }
}

TEST_F(CallWarningTest, CreateOnOneRankAgainstEndStepOnOthersIsFound) {
  const Watchdog watchdog("create against end_step");
  const Communicator own = mpi_communicator(MPI_COMM_WORLD);
  auto pipeline = open_run(own, posix_store(), run("60")).value();
  const Status status = is_last_rank() ? Writer::create(path("other.idx"), own, Options()).status()
                                       : write_step(*pipeline, own, run("60"), 0);
  expect_everywhere(status, Code::kMismatchedCall);
  EXPECT_NE(status.message().find("create"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("end_step"), std::string::npos) << status.message();
  EXPECT_TRUE(write_step(*pipeline, own, run("60"), 0).ok());
  pipeline->close({}).check();
}

}  // namespace
}  // namespace esker
