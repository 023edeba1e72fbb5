// A second step on threads for ranks, on one node and on several: see observed_run.h.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "support/observed_run.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: ranks that are threads

class SecondStep : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  const std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("esker-second-step-" + std::to_string(::getpid()));
};

TEST_F(SecondStep, PlansNothingAllocatesNothingAndSendsNoMetadata) {
  for (const auto& way : ways_to_move()) {
    for (const auto& [n_ranks, per_node] : {std::pair{1, 0}, {4, 0}, {4, 2}}) {
      SCOPED_TRACE(text_of(way) + ", ranks " + std::to_string(n_ranks) + ", per node " +
                   std::to_string(per_node));
      run_ranks(
          n_ranks,
          [&](const Communicator& comm) {
            expect_nothing_new_in_second_steps(comm, (directory_ / "run.idx").string(), way, true);
          },
          per_node);
    }
  }
}

// The bytes through the Comm equal those that the exchange reports.
TEST_F(SecondStep, SendsTheMessagesThatItReports) {
  run_ranks(4, [&](const Communicator& comm) {
    ObservedRun run(comm, (directory_ / "run.idx").string(),
                    {{"transport", "messages"}, {"checksums", "false"}});
    run.step(0, 2);
    const double before = run.report()["per_rank"]["messages"]["mean"];
    run.step(1, 2);
    const double after = run.report()["per_rank"]["messages"]["mean"];
    std::array<double, 1> sent{static_cast<double>(run.calls(CommCall::kSend))};
    comm.get()->all_reduce_sum(sent);
    EXPECT_GT(sent[0], 0);
    EXPECT_EQ(sent[0], 4 * (after - before));
    EXPECT_EQ(run.writer().last_step().checksum_messages, 0);
    run.writer().close().check();
  });
}

}  // namespace
}  // namespace esker
