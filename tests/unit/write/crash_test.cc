// A run that is killed at any call to the file system: the dataset opens, holds exactly the committed steps,
// and verifies. The next run continues it, and removes the leftovers.
//
// The run is a child process with threads for ranks, which kills itself with SIGKILL.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "formats/idx/idx_dataset.h"
#include "store/faulty_store.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario and ranks

constexpr Index kSteps = 3;

struct Kill {
  int n_ranks = 1;
  int rank = 0;               ///< the rank whose calls are counted
  Index step = 1;             ///< in which step
  int call = 1;               ///< 1: before the first call, 2: before the second ...
  bool half = false;          ///< and a write before it has stored half of its bytes
  bool only_indexes = false;  ///< only calls for an .idx and the catalog count
};

/// Runs until it is killed; exit status 0 if the step has fewer calls.
[[noreturn]] void run_child(const RunPlan& run, const Kill& kill) {
  std::atomic<int> calls{0};
  std::atomic<bool> armed{false};
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    const auto rule = [&](StoreCall call, const std::string& path) {
      if (!armed || comm.rank() != kill.rank) return 0;
      const bool is_index =
          path.find(".idx") != std::string::npos || path.find("esker.json") != std::string::npos;
      if (kill.only_indexes && !is_index) return 0;
      const int number = ++calls;
      if (number >= kill.call) ::kill(::getpid(), SIGKILL);
      return kill.half && number == kill.call - 1 && call == StoreCall::kWrite ? EIO : 0;
    };
    const auto store = faulty_store(posix_store(), rule);
    auto pipeline = open_run(comm, store, run).value();
    for (Index step = 0; step < kSteps; ++step) {
      comm.get()->barrier();
      armed = step == kill.step;
      comm.get()->barrier();
      if (!write_step(*pipeline, comm, run, step).ok()) ::_exit(0);  // a half write without a kill after it
    }
    (void)pipeline->close({});
  });
  ::_exit(0);
}

/// Whether the child was killed, rather than ended normally.
bool is_killed(const RunPlan& run, const Kill& kill) {
  const pid_t child = ::fork();
  if (child == 0) run_child(run, kill);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0) << status;
  return WIFSIGNALED(status);
}

/// "One": one grid; "Several"; "Local": one, in a partition per rank, which are stored separately; "Async":
/// one, and a step is stored and committed while the next one begins.
class Crash : public testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("esker-crash-" + std::to_string(::getpid()));
    const std::string kind = std::get<0>(GetParam());
    run_.single = kind != "Several";
    run_.n_ranks = std::get<1>(GetParam());
    only_indexes_ = kind == "Local";  // kills between the commits of partitions
    if (kind == "Local")
      run_.options = {{"partitions", std::to_string(run_.n_ranks)}, {"partition_index", "local"}};
    if (kind == "Async") run_.options = {{"async", "true"}};
    late_ = kind == "Async" ? 1 : 0;
    run_.aggregators = run_.n_ranks;
    run_.end_step = kSteps;
    RunPlan whole = run_;
    whole.path = "run.idx";
    ASSERT_TRUE(write_all(reference_, whole).ok());
    run_.path = (directory_ / "run.idx").string();
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  /// Checks the dataset after the kill, and continues it.
  void check(const Kill& kill) {
    const auto store = posix_store();
    const auto dataset = idx::IdxDataset::open(store, run_.path);
    if (!dataset.ok()) {  // no step was committed, and the dataset does not exist yet
      ASSERT_EQ(dataset.status().code(), Code::kNotFound) << dataset.status().message();
      ASSERT_LE(kill.step, late_);
    }
    const auto committed = dataset.ok() ? static_cast<Index>(dataset->times.size()) : 0;
    ASSERT_GE(committed, kill.step - late_);
    ASSERT_LE(committed, kill.step + 1);
    if (dataset.ok()) expect_complete(store, run_, committed);

    RunPlan rest = run_;
    rest.n_ranks = 2;
    rest.first_step = committed;
    rest.append = dataset.ok();
    const Status status = write_all(store, rest);
    ASSERT_TRUE(status.ok()) << status.message();
    const auto files = all_files(*store, directory_.string());
    const auto expected = all_files(*reference_, ".");
    ASSERT_EQ(files.size(), expected.size());
    for (const auto& [path, bytes] : expected) {
      const std::string here = directory_.string() + "/" + path;
      ASSERT_TRUE(files.contains(here)) << path;
      ASSERT_TRUE(files.at(here) == bytes) << path;
    }
  }

  std::filesystem::path directory_;
  RunPlan run_;
  bool only_indexes_ = false;
  Index late_ = 0;  // steps in flight while another one is written
  std::shared_ptr<Store> reference_ = memory_store();
};

/// One of so many kills is tested; all of them if ESKER_TEST_ALL_KILLS is set.
int one_of() { return std::getenv("ESKER_TEST_ALL_KILLS") != nullptr ? 1 : 3; }

TEST_P(Crash, AtAnyCallLeavesTheCommittedStepsAndARunCanContinue) {
  int kills = 0;
  const auto stride = [&](int call) { return only_indexes_ ? 3 : call < 12 ? 1 : 5; };
  for (const Index step : {Index{0}, Index{1}}) {
    for (const int rank : {0, run_.n_ranks - 1}) {
      const int first = 1 + (static_cast<int>(step) + rank) % one_of();  // other calls of each
      for (int call = first;; call += one_of() * stride(call)) {
        const bool half = (kills + 1) % (only_indexes_ ? 3 : 2) == 0;
        const Kill kill{run_.n_ranks, rank, step, call, half, only_indexes_};
        std::filesystem::remove_all(directory_);
        if (!is_killed(run_, kill)) break;
        ++kills;
        check(kill);
        ASSERT_FALSE(HasFatalFailure() || HasNonfatalFailure())
            << "killed in step " << step << " at call " << call << " of rank " << rank;
      }
      if (run_.n_ranks == 1) break;
    }
  }
  EXPECT_GT(kills, (only_indexes_ ? 10 : 20) / one_of());
}

// A run that is killed while it replaces a dataset leaves the old one, an empty one, or the first new step.
TEST_P(Crash, WhileOverwritingLeavesADatasetThatOpens) {
  if (run_.n_ranks > 1) GTEST_SKIP() << "rank 0 alone replaces";
  run_.overwrite = true;
  const auto stride = [&](int call) { return only_indexes_ ? 7 : call < 40 ? 1 : 5; };
  for (const bool old_single : {false, true}) {
    RunPlan old = run_;
    old.single = old_single;
    old.end_step = 2;
    for (int call = 1 + static_cast<int>(old_single) % one_of();; call += one_of() * stride(call)) {
      std::filesystem::remove_all(directory_);
      ASSERT_TRUE(write_all(posix_store(), old).ok());
      if (!is_killed(run_, {1, 0, 0, call, false})) break;
      const auto dataset = idx::IdxDataset::open(posix_store(), run_.path);
      ASSERT_TRUE(dataset.ok()) << "call " << call << ": " << dataset.status().message();
      if (dataset->times.size() == 2) {
        expect_complete(posix_store(), old, 2);
      } else {
        ASSERT_LE(dataset->times.size(), 1u);
      }
      RunPlan rest = dataset->times.size() == 2 ? old : run_;
      rest.overwrite = false;
      rest.append = true;
      rest.first_step = static_cast<Index>(dataset->times.size());
      rest.end_step = kSteps;
      const Status status = write_all(posix_store(), rest);
      ASSERT_TRUE(status.ok()) << status.message();
      expect_complete(posix_store(), rest, kSteps);
      EXPECT_EQ(findings_of(posix_store(), run_.path), std::vector<std::string>{});
      ASSERT_FALSE(HasFatalFailure() || HasNonfatalFailure()) << "killed at call " << call;
    }
  }
}

std::string name_of_case(const testing::TestParamInfo<Crash::ParamType>& test) {
  return std::string(std::get<0>(test.param)) + "On" + std::to_string(std::get<1>(test.param));
}

INSTANTIATE_TEST_SUITE_P(All, Crash,
                         testing::Combine(testing::Values("One", "Several"), testing::Values(1, 2, 4)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Asynchronous, Crash,
                         testing::Combine(testing::Values("Async"), testing::Values(1, 2)), name_of_case);
INSTANTIATE_TEST_SUITE_P(Partitions, Crash, testing::Combine(testing::Values("Local"), testing::Values(1, 2)),
                         name_of_case);

}  // namespace
}  // namespace esker
