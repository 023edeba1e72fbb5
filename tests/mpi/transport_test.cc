// The conformance suite of transports on the ranks of an MPI job, on one node and on several simulated ones.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>

#include "store/faulty_store.h"
#include "support/mpi_runs.h"
#include "support/transport_cases.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture and its runs

/// Sets an environment variable until the end of the scope; an empty value leaves it unchanged.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (!value.empty()) ::setenv(name_, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

/// A communicator with a given number of ranks per node; 0: all.
Communicator world_with_nodes_of(int ranks_per_node) {
  const Variable nodes("ESKER_TEST_RANKS_PER_NODE",
                       ranks_per_node > 0 ? std::to_string(ranks_per_node) : std::string());
  return mpi_communicator(MPI_COMM_WORLD);
}

class TransportTest : public MpiRunsTest {
 protected:
  static void expect_same(const Files& files, const Files& expected) {
    EXPECT_EQ(files.size(), expected.size());
    for (const auto& [name, bytes] : expected) {
      ASSERT_TRUE(files.contains(name)) << name;
      EXPECT_TRUE(files.at(name) == bytes) << name << " differs";
    }
  }
};

class EveryTransport : public TransportTest, public testing::WithParamInterface<int> {
 protected:
  [[nodiscard]] Transport transport() const { return kTransports[static_cast<std::size_t>(GetParam())]; }
};

TEST_P(EveryTransport, WritesTheFilesOfOneRank) {
  std::map<InBlockOrder, Files> expected;
  for (const InBlockOrder in_block : {InBlockOrder::kRowMajor, InBlockOrder::kHz}) {
    const RunPlan serial{.in_block = in_block};
    if (comm_.rank() == 0) expected[in_block] = files_of(Communicator::serial(), serial);
  }
  if (comm_.rank() == 0) {
    EXPECT_GT(expected[InBlockOrder::kHz].size(), 10u);
  }
  // Nodes are most important for transports with shared memory.
  const bool shares = transport() == Transport::kShared || transport() == Transport::kLeaders;
  for (const int per_node : shares ? std::vector{0, 1, 2, 3} : std::vector{0, 2}) {
    const Communicator comm = world_with_nodes_of(per_node);
    for (RunPlan run : transport_runs(transport(), comm_.size())) {
      run.ranks_per_node = per_node;
      SCOPED_TRACE(name_of(run));
      const Files files = files_of(comm, run);
      if (comm_.rank() == 0) expect_same(files, expected[run.in_block]);
    }
  }
}

TEST_P(EveryTransport, ARankThatCannotStoreStillMovesItsBytesAndTheNextStepSucceeds) {
  const Communicator comm = world_with_nodes_of(2);
  RunPlan run = transport_runs(transport(), comm_.size()).back();
  run.path = path("run.idx");
  bool fails = false;
  const auto store = faulty_store(posix_store(), [&](StoreCall call, const std::string& file) {
    return fails && call == StoreCall::kWrite && file.find(".bin") != std::string::npos ? ENOSPC : 0;
  });
  auto pipeline = open_run(comm, store, run).value();
  fails = is_last_rank();
  expect_everywhere(write_step(*pipeline, comm, run, 0), Code::kIoError);
  fails = false;
  for (Index step = 0; step < 3; ++step) {
    const Status status = write_step(*pipeline, comm, run, step);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  pipeline->close({}).check();
  comm.get()->barrier();
  expect_complete(posix_store(), run, 3);
}

INSTANTIATE_TEST_SUITE_P(All, EveryTransport, testing::Range(0, static_cast<int>(kTransports.size())),
                         [](const auto& test) {
                           return std::string(kTransportNames[static_cast<std::size_t>(test.param)]);
                         });

TEST_F(TransportTest, WithoutSharedMemoryAutoSendsMessagesAndReportsTheReason) {
  const Variable scarce("ESKER_TEST_SHARED_BYTES", "0");
  RunPlan run;
  run.path = path("run.idx");
  auto pipeline = open_run(comm_, posix_store(), run).value();
  write_step(*pipeline, comm_, run, 0).check();
  const TransportReport report = pipeline->report().value().transport;
  pipeline->close({}).check();
  if (comm_.size() == 1) {
    EXPECT_EQ(report.used, "none");
    return;
  }
  EXPECT_EQ(report.used, "messages");
  EXPECT_NE(report.reason.find("cannot share"), std::string::npos) << report.reason;
}

TEST_F(TransportTest, SharedIsAnErrorOnAllRanksIfMemoryCannotBeShared) {
  if (comm_.size() == 1) GTEST_SKIP() << "one rank shares nothing";
  const Variable scarce("ESKER_TEST_SHARED_BYTES", "0");
  RunPlan run{.transport = Transport::kShared};
  run.path = path("run.idx");
  auto pipeline = open_run(comm_, posix_store(), run).value();
  const Status status = write_step(*pipeline, comm_, run, 0);
  expect_everywhere(status, Code::kOutOfMemory);
  EXPECT_NE(status.message().find("cannot share"), std::string::npos) << status.message();
  pipeline->close({}).check();
}

// The check runs once per process, so this test runs in a separate process: mpi.broken_datatypes.
TEST_F(TransportTest, BrokenDatatypesFallBackToPackedPutsAndTheReportSaysSo) {
  if (!std::getenv("ESKER_TEST_BROKEN_DATATYPES")) GTEST_SKIP() << "runs where datatypes are made to fail";
  RunPlan run{.transport = Transport::kPutTypes};
  run.path = path("run.idx");
  auto pipeline = open_run(comm_, posix_store(), run).value();
  for (Index step = 0; step < 2; ++step) write_step(*pipeline, comm_, run, step).check();
  const TransportReport report = pipeline->report().value().transport;
  pipeline->close({}).check();
  expect_complete(posix_store(), run, 2);
  EXPECT_EQ(report.used, "put_fence");
  EXPECT_NE(report.reason.find("packs a datatype incorrectly"), std::string::npos) << report.reason;
}

}  // namespace
}  // namespace esker
