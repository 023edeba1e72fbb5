// A disk that is really full, directories that cannot be written, and things that stand in the way: what the
// kernel refuses, not what a test store pretends.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <fstream>

#include "support/fault_fixture.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture and its runs

/// A file system in memory under the test's directory, which rank 0 mounts and all ranks see; gone with it.
class Tmpfs {
 public:
  Tmpfs(Comm& comm, const std::string& path, const std::string& options, unsigned long flags = 0)
      : comm_(comm), path_(path) {
    std::array<std::uint64_t, 1> refused{0};
    if (comm_.rank() == 0) {
      std::filesystem::create_directories(path_);
      if (::mount("tmpfs", path_.c_str(), "tmpfs", flags, options.c_str()) != 0) refused[0] = 1;
    }
    comm_.all_reduce_max(refused);
    mounted_ = refused[0] == 0;
  }
  Tmpfs(const Tmpfs&) = delete;
  Tmpfs& operator=(const Tmpfs&) = delete;
  ~Tmpfs() {
    comm_.barrier();
    if (mounted_ && comm_.rank() == 0) ::umount2(path_.c_str(), MNT_DETACH);
    comm_.barrier();
  }
  [[nodiscard]] bool is_mounted() const { return mounted_; }

 private:
  Comm& comm_;
  std::string path_;
  bool mounted_ = false;
};

constexpr const char* kNoMount = "SKIPPED: mounting a tmpfs needs root; run as root to test a full disk";

class DiskTest : public FaultTest, public testing::WithParamInterface<bool> {
 protected:
  Status try_step(WritePipeline& pipeline, const RunPlan& run, Index step) {
    return write_step(pipeline, comm_, run, step);
  }

  /// Rank 0 does something to the files; all wait.
  template <class Action>
  void on_root(const Action& action) {
    comm_.get()->barrier();
    if (comm_.rank() == 0) action();
    comm_.get()->barrier();
  }

  /// Leaves `left` bytes of the file system free.
  void fill(const std::string& directory, Index left) {
    on_root([&] {
      const Index free = posix_store()->free_bytes(directory).value();
      const std::string filler(static_cast<std::size_t>(std::max<Index>(0, free - left)), 'x');
      std::ofstream(directory + "/filler") << filler << std::flush;
    });
  }

  void fill_in_the_middle(const std::map<std::string, std::string>& way);

  void expect_names(const Status& status, const std::vector<std::string>& pieces) {
    expect_everywhere(status, status.code());
    EXPECT_FALSE(status.ok());
    for (const std::string& piece : pieces) {
      EXPECT_NE(status.message().find(piece), std::string::npos) << piece << " in: " << status.message();
    }
  }
};

TEST_P(DiskTest, AStepThatDoesNotFitFailsBeforeAByteIsWritten) {
  const Watchdog watchdog("full disk, space is known");
  const Tmpfs disk(*comm_.get(), path("disk"), "size=4m");
  if (!disk.is_mounted()) GTEST_SKIP() << kNoMount;
  RunPlan run = plan("disk/run.idx", GetParam());
  auto pipeline = open_run(comm_, store_, run).value();
  ASSERT_TRUE(try_step(*pipeline, run, 0).ok());
  fill(path("disk"), 4096);
  for (int attempt = 0; attempt < 2; ++attempt) {
    expect_names(try_step(*pipeline, run, 1),
                 {"rank 0", path("disk"), "No space left on device", "takes", "are free"});
    on_root([&] { EXPECT_FALSE(std::filesystem::exists(path("disk/run/xyz/time_0001"))); });
  }
  expect_clean(run, 1);
  on_root([&] { std::filesystem::remove(path("disk/filler")); });
  const Status again = try_step(*pipeline, run, 1);
  EXPECT_TRUE(again.ok()) << again.message();
  EXPECT_TRUE(pipeline->close({}).ok());
  expect_undisturbed(run, path("disk"));
}

// Free space cannot always be known, and another program may take it.
TEST_P(DiskTest, ADiskThatFillsInTheMiddleOfAStepIsAgreedAndTheStepCanBeRepeated) {
  const Watchdog watchdog("full disk, space is not known");
  const Tmpfs disk(*comm_.get(), path("disk"), "size=4m");
  if (!disk.is_mounted()) GTEST_SKIP() << kNoMount;
  for (const auto& way : ways_to_move()) {
    SCOPED_TRACE(text_of(way));
    fill_in_the_middle(way);
    if (!all_well()) return;
  }
}

void DiskTest::fill_in_the_middle(const std::map<std::string, std::string>& way) {
  RunPlan run = plan("disk/run.idx", GetParam());
  run.overwrite = true;
  run.options = way;
  arm({StoreCall::kFreeBytes, ""}, kAllRanks, ENOSYS);
  auto pipeline = open_run(comm_, store_, run).value();
  ASSERT_TRUE(try_step(*pipeline, run, 0).ok());
  for (const Index left : {0, 4096, GetParam() ? 8192 : 65536}) {
    fill(path("disk"), left);
    expect_names(try_step(*pipeline, run, 1), {"rank ", path("disk/run"), "No space left on device"});
    expect_clean(run, 1);
    on_root([&] { std::filesystem::remove(path("disk/filler")); });
  }
  const Status again = try_step(*pipeline, run, 1);
  EXPECT_TRUE(again.ok()) << again.message();
  EXPECT_TRUE(pipeline->close({}).ok());
  expect_clean(run, 2);
  expect_undisturbed(run, path("disk"));
}

TEST_P(DiskTest, AReadOnlyDiskIsNamed) {
  const Watchdog watchdog("read-only disk");
  const Tmpfs disk(*comm_.get(), path("disk"), "size=4m");
  if (!disk.is_mounted()) GTEST_SKIP() << kNoMount;
  RunPlan run = plan("disk/run.idx", GetParam());
  auto pipeline = open_run(comm_, store_, run).value();
  ASSERT_TRUE(try_step(*pipeline, run, 0).ok());
  const auto remount = [&](unsigned long flags) {
    on_root(
        [&] { EXPECT_EQ(::mount("tmpfs", path("disk").c_str(), nullptr, MS_REMOUNT | flags, nullptr), 0); });
  };
  remount(MS_RDONLY);
  expect_names(try_step(*pipeline, run, 1), {"rank 0", path("disk/run"), "Read-only file system"});
  expect_names(open_run(comm_, store_, plan("disk/new/run.idx", GetParam())).status(),
               {"rank 0", path("disk/new"), "Read-only file system"});
  remount(0);
  EXPECT_TRUE(try_step(*pipeline, run, 1).ok());
  EXPECT_TRUE(pipeline->close({}).ok());
  expect_clean(run, 2);
  expect_undisturbed(run, path("disk"));
}

TEST_P(DiskTest, WhatStandsInTheWayOfANewDatasetIsNamedAndStays) {
  const std::vector<std::string> obstacles{"run", GetParam() ? "run.idx/" : "run/xyz/", "run.idx/"};
  for (const std::string& obstacle : obstacles) {
    SCOPED_TRACE(obstacle);
    const Watchdog watchdog("obstacle " + obstacle);
    const std::string there = path(obstacle.substr(0, obstacle.find('/', obstacle.size() - 1)));
    on_root([&] {
      if (obstacle.ends_with('/')) {
        std::filesystem::create_directories(there);
      } else {
        std::ofstream(there) << "mine";
      }
    });
    RunPlan run = plan("run.idx", GetParam());
    expect_names(open_run(comm_, store_, run).status(), {"rank 0", path("run"), "exists"});
    run.overwrite = true;
    auto pipeline = open_run(comm_, store_, run).value();
    expect_names(try_step(*pipeline, run, 0), {"rank 0", path("run")});
    (void)pipeline->close({});
    on_root([&] {
      EXPECT_TRUE(std::filesystem::exists(there));
      std::filesystem::remove_all(path("run"));
      std::filesystem::remove_all(path("run.idx"));
    });
  }
}

TEST_P(DiskTest, WhatStandsInTheWayOfAStepIsNamedAndStays) {
  const std::string blocks = GetParam() ? "run" : "run/xyz";
  const std::string idx = GetParam() ? "run.idx" : "run/xyz.idx";
  struct Obstacle {
    std::string path;
    bool is_directory;
    std::string reason;
  };
  std::vector<Obstacle> obstacles{{blocks + "/time_0001", false, "Not a directory"},
                                  {idx + ".tmp", true, "Is a directory"}};
  if (!GetParam()) obstacles.push_back({"run/esker.json.tmp", true, "Is a directory"});
  const RunPlan run = plan("run.idx", GetParam());
  auto pipeline = open_run(comm_, store_, run).value();
  ASSERT_TRUE(try_step(*pipeline, run, 0).ok());
  for (const Obstacle& obstacle : obstacles) {
    SCOPED_TRACE(obstacle.path);
    const Watchdog watchdog("obstacle " + obstacle.path);
    const std::string there = path(obstacle.path);
    on_root([&] {
      if (obstacle.is_directory) {
        std::filesystem::create_directories(there);
      } else {
        std::ofstream(there) << "mine";
      }
    });
    expect_names(try_step(*pipeline, run, 1), {"rank ", there, obstacle.reason});
    on_root([&] {
      EXPECT_TRUE(std::filesystem::exists(there));
      std::filesystem::remove_all(there);
    });
    expect_clean(run, 1);
    EXPECT_TRUE(try_step(*pipeline, run, 1).ok());
    EXPECT_TRUE(pipeline->rewind({}, time_of(0)).ok());
    if (!all_well()) return;
  }
  // Blocks of a whole grid replaced by a file: nothing can be written, nor tidied, until it is gone.
  on_root([&] {
    std::filesystem::rename(path(blocks), path("aside"));
    std::ofstream(path(blocks)) << "mine";
  });
  for (int attempt = 0; attempt < 2; ++attempt) {
    expect_names(try_step(*pipeline, run, 1), {"rank ", path(blocks), "Not a directory"});
  }
  on_root([&] {
    EXPECT_TRUE(std::filesystem::is_regular_file(path(blocks)));
    std::filesystem::remove(path(blocks));
    std::filesystem::rename(path("aside"), path(blocks));
  });
  EXPECT_TRUE(try_step(*pipeline, run, 1).ok());
  EXPECT_TRUE(pipeline->close({}).ok());
  expect_clean(run, 2);
  expect_undisturbed(run, directory_);
}

INSTANTIATE_TEST_SUITE_P(All, DiskTest, testing::Bool(),
                         [](const auto& test) { return test.param ? "OneGrid" : "SeveralGrids"; });

}  // namespace
}  // namespace esker
