// A full disk, directories without write permission, and files in the way: errors of the kernel, not of a
// test store.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <vector>

#include "support/fault_fixture.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture and its runs

/// A file system in memory below the test's directory, which rank 0 mounts and the destructor unmounts.
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

class DiskTest : public SubjectTest {
 protected:
  Status try_step(WritePipeline& pipeline, const RunPlan& run, Index step) {
    return commit_step(pipeline, comm_, run, step);
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
      if (comm_.size() == 1 && piece.starts_with("rank ")) continue;  // an error of one rank names none
      EXPECT_NE(status.message().find(piece), std::string::npos) << piece << " in: " << status.message();
    }
  }
};

TEST_P(DiskTest, AStepThatDoesNotFitFailsBeforeTheFirstWrite) {
  const Watchdog watchdog("full disk, space is known");
  const Tmpfs disk(*comm_.get(), path("disk"), "size=4m");
  if (!disk.is_mounted()) GTEST_SKIP() << kNoMount;
  RunPlan run = plan(GetParam(), "disk/data/");
  auto pipeline = open_run(comm_, store_, run).value();
  ASSERT_TRUE(try_step(*pipeline, run, 0).ok());
  const bool is_small =
      GetParam().has_bits || GetParam().has_reals || (GetParam().has_levels() && !GetParam().has_idx());
  fill(path("disk"), is_small ? 0 : 4096);
  for (int attempt = 0; attempt < 2; ++attempt) {
    expect_names(try_step(*pipeline, run, 1),
                 {"rank 0", path("disk"), "No space left on device", "needs", "are free"});
    on_root([&] { EXPECT_FALSE(std::filesystem::exists(path("disk/data/run/xyz/time_0001"))); });
  }
  expect_clean(run, 1);
  on_root([&] { std::filesystem::remove(path("disk/filler")); });
  const Status again = try_step(*pipeline, run, 1);
  EXPECT_TRUE(again.ok()) << again.message();
  EXPECT_TRUE(pipeline->close({}).ok());
  expect_undisturbed(run, path("disk/data"));
}

// The free space may be unknown, or another program may use it.
TEST_P(DiskTest, ADiskThatFillsDuringAStepIsTheSameErrorOnAllRanksAndTheStepCanBeRepeated) {
  const Watchdog watchdog("full disk, space is not known");
  const Tmpfs disk(*comm_.get(), path("disk"), "size=4m");
  if (!disk.is_mounted()) GTEST_SKIP() << kNoMount;
  for (const auto& way : ways()) {
    SCOPED_TRACE(text_of(way));
    fill_in_the_middle(way);
    if (!all_well()) return;
  }
}

void DiskTest::fill_in_the_middle(const std::map<std::string, std::string>& way) {
  RunPlan run = plan(GetParam(), "disk/data/");
  run.overwrite = true;
  take_way(run, way);
  arm({StoreCall::kFreeBytes, ""}, kAllRanks, ENOSYS);
  auto pipeline = open_run(comm_, store_, run).value();
  ASSERT_TRUE(try_step(*pipeline, run, 0).ok());
  const bool until_it_fits = GetParam().has_common_file() || GetParam().has_zarr();
  const Index by = GetParam().has_netcdf() ? 8192 : 4096;  // of a NetCDF step data and journal must fit
  const Index most = GetParam().single ? 8192 : 65536;
  for (Index left = 0; left <= most || until_it_fits; left += by) {
    fill(path("disk"), left);
    const Status failed = try_step(*pipeline, run, 1);
    if (until_it_fits && failed.ok()) break;
    expect_names(failed, {"rank ", path("disk/data/run"), "No space left on device"});
    expect_clean(run, 1);
    on_root([&] { std::filesystem::remove(path("disk/filler")); });
    if (!all_well()) return;
  }
  on_root([&] { std::filesystem::remove(path("disk/filler")); });
  pipeline->rewind({}, time_of(0)).check();
  const Status again = try_step(*pipeline, run, 1);
  EXPECT_TRUE(again.ok()) << again.message();
  EXPECT_TRUE(pipeline->close({}).ok());
  expect_clean(run, 2);
  expect_undisturbed(run, path("disk/data"));
}

TEST_P(DiskTest, AReadOnlyDiskIsNamed) {
  const Watchdog watchdog("read-only disk");
  const Tmpfs disk(*comm_.get(), path("disk"), "size=4m");
  if (!disk.is_mounted()) GTEST_SKIP() << kNoMount;
  RunPlan run = plan(GetParam(), "disk/data/");
  auto pipeline = open_run(comm_, store_, run).value();
  ASSERT_TRUE(try_step(*pipeline, run, 0).ok());
  const auto remount = [&](unsigned long flags) {
    on_root(
        [&] { EXPECT_EQ(::mount("tmpfs", path("disk").c_str(), nullptr, MS_REMOUNT | flags, nullptr), 0); });
  };
  remount(MS_RDONLY);
  expect_names(try_step(*pipeline, run, 1), {"rank ", path("disk/data/run"), "Read-only file system"});
  expect_names(open_run(comm_, store_, plan(GetParam(), "disk/new/")).status(),
               {"rank 0", path("disk/new"), "Read-only file system"});
  remount(0);
  EXPECT_TRUE(try_step(*pipeline, run, 1).ok());
  EXPECT_TRUE(pipeline->close({}).ok());
  expect_clean(run, 2);
  expect_undisturbed(run, path("disk/data"));
}

class IdxObstacles : public DiskTest {};

TEST_P(IdxObstacles, NamesAndKeepsFilesInTheWayOfANewDataset) {
  const std::vector<std::string> obstacles{"run", GetParam().single ? "run.idx/" : "run/xyz/", "run.idx/"};
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
    RunPlan run = plan(GetParam());
    const std::string reason = obstacle == "run" ? "is a file" : "exists";
    expect_names(open_run(comm_, store_, run).status(), {"rank 0", path("run"), reason});
    run.overwrite = true;
    expect_names(open_run(comm_, store_, run).status(), {"rank 0", path("run")});
    on_root([&] {
      EXPECT_TRUE(std::filesystem::exists(there));
      std::filesystem::remove_all(path("run"));
      std::filesystem::remove_all(path("run.idx"));
    });
  }
}

TEST_P(IdxObstacles, NamesAndKeepsFilesInTheWayOfAStep) {
  const std::string blocks = GetParam().single ? "run" : "run/xyz";
  const std::string idx = GetParam().single ? "run.idx" : "run/xyz.idx";
  struct Obstacle {
    std::string path;
    bool is_directory;
    std::string reason;
  };
  std::vector<Obstacle> obstacles{{blocks + "/time_0001", false, "Not a directory"},
                                  {idx + ".tmp", true, "Is a directory"}};
  if (!GetParam().single) obstacles.push_back({"run/esker.json.tmp", true, "Is a directory"});
  const RunPlan run = plan(GetParam());
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
  // A file in place of the directory of a grid's blocks: nothing can be written or removed until it is
  // removed.
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

class FileObstacles : public DiskTest {
 protected:
  /// Creates a directory of the user's if the name ends in '/', else a file.
  std::string put_there(const std::string& name) {
    const std::string there = path(name.substr(0, name.find('/')));
    on_root([&] {
      if (name.ends_with('/')) {
        std::filesystem::create_directories(there + "/mine");
      } else {
        std::ofstream(there) << "mine";
      }
    });
    return there;
  }
  void expect_there_and_remove(const std::string& there) {
    on_root([&] {
      EXPECT_TRUE(std::filesystem::exists(there + "/mine") || std::filesystem::file_size(there) == 4);
      std::filesystem::remove_all(there);
    });
  }
};

class LevelsObstacles : public FileObstacles {};

TEST_P(LevelsObstacles, OfAStepAreNamedAndKept) {
  const RunPlan run = plan(GetParam());
  auto pipeline = open_run(comm_, store_, run).value();
  ASSERT_TRUE(try_step(*pipeline, run, 0).ok());
  for (const std::string name : {"run.vtkhdf.steps/000001.vtkhdf", "run.vtkhdf.series.tmp"}) {
    SCOPED_TRACE(name);
    const Watchdog watchdog("obstacle " + name);
    const std::string there = path(name);
    on_root([&] { std::filesystem::create_directories(there + "/mine"); });
    for (int attempt = 0; attempt < 2; ++attempt) {
      expect_names(try_step(*pipeline, run, 1), {"rank ", there, "Is a directory"});
    }
    expect_there_and_remove(there);
    // The rest of the step goes with the next attempt, because the writer could not remove the obstacle.
    const Status again = try_step(*pipeline, run, 1);
    EXPECT_TRUE(again.ok()) << again.message();
    EXPECT_TRUE(pipeline->rewind({}, time_of(0)).ok());
    if (!all_well()) return;
  }
  // A file in place of the directory of the steps.
  const Watchdog watchdog("instead of the directory of the steps");
  on_root([&] { std::filesystem::rename(path("run.vtkhdf.steps"), path("aside")); });
  const std::string there = put_there("run.vtkhdf.steps");
  for (int attempt = 0; attempt < 2; ++attempt) {
    expect_names(try_step(*pipeline, run, 1), {"rank ", there, "Not a directory"});
  }
  expect_there_and_remove(there);
  on_root([&] { std::filesystem::rename(path("aside"), path("run.vtkhdf.steps")); });
  EXPECT_TRUE(try_step(*pipeline, run, 1).ok());
  EXPECT_TRUE(pipeline->close({}).ok());
  expect_undisturbed(run, directory_);
}

class NetcdfObstacles : public FileObstacles {};

TEST_P(NetcdfObstacles, AtThePathOfTheFileAreNamedAndKept) {
  for (const std::string name : {"run.nc/", "run.nc"}) {
    SCOPED_TRACE(name);
    const Watchdog watchdog("obstacle " + name);
    const std::string there = put_there(name);
    RunPlan run = plan(GetParam());
    expect_names(open_run(comm_, store_, run).status(), {"rank 0", there, "exists"});
    run.overwrite = true;
    const std::string reason = name == "run.nc" ? "was not written by Esker" : "Is a directory";
    expect_names(open_run(comm_, store_, run).status(), {"rank 0", there, reason});
    expect_there_and_remove(there);
    EXPECT_FALSE(std::filesystem::exists(path("run.esker-lock")));
    if (!all_well()) return;
  }
}

TEST_P(NetcdfObstacles, OfTheFirstStepAreNamedAndKept) {
  const Watchdog watchdog("obstacle of the first step");
  const RunPlan run = plan(GetParam());
  const std::string there = put_there("run.nc.tmp/");
  auto pipeline = open_run(comm_, store_, run).value();
  for (int attempt = 0; attempt < 2; ++attempt) {
    expect_names(try_step(*pipeline, run, 0), {"rank 0", there, "Is a directory"});
  }
  expect_there_and_remove(there);
  for (const Index step : {0, 1}) EXPECT_TRUE(try_step(*pipeline, run, step).ok());
  EXPECT_TRUE(pipeline->close({}).ok());
  expect_undisturbed(run, directory_);
}

TEST_P(NetcdfObstacles, OfALaterStepAreNamedAndKept) {
  const RunPlan run = plan(GetParam());
  auto pipeline = open_run(comm_, store_, run).value();
  ASSERT_TRUE(try_step(*pipeline, run, 0).ok());
  std::vector<std::string> names;
  if (GetParam().has_journal()) names = {"run.nc.esker-journal.tmp/", "run.nc.esker-journal/"};
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Watchdog watchdog("obstacle " + name);
    const std::string there = put_there(name);
    for (int attempt = 0; attempt < 2; ++attempt) {
      expect_names(try_step(*pipeline, run, 1), {"rank 0", there, "Is a directory"});
    }
    expect_there_and_remove(there);
    const Status again = try_step(*pipeline, run, 1);
    EXPECT_TRUE(again.ok()) << again.message();
    expect_undisturbed(run, directory_, kLock);
    EXPECT_TRUE(pipeline->rewind({}, time_of(0)).ok());
    if (!all_well()) return;
  }
  // Something else in place of the file itself.
  for (const std::string name : {"run.nc/", "run.nc"}) {
    SCOPED_TRACE(name);
    const Watchdog watchdog("instead of the file " + name);
    on_root([&] { std::filesystem::rename(path("run.nc"), path("aside")); });
    const std::string there = put_there(name);
    for (int attempt = 0; attempt < 2; ++attempt) expect_names(try_step(*pipeline, run, 1), {"rank ", there});
    expect_there_and_remove(there);
    on_root([&] { std::filesystem::rename(path("aside"), path("run.nc")); });
    const Status again = try_step(*pipeline, run, 1);
    EXPECT_TRUE(again.ok()) << again.message();
    EXPECT_TRUE(pipeline->rewind({}, time_of(0)).ok());
    if (!all_well()) return;
  }
  EXPECT_TRUE(try_step(*pipeline, run, 1).ok());
  EXPECT_TRUE(pipeline->close({}).ok());
  expect_undisturbed(run, directory_);
}

std::vector<Subject> subjects_that(bool (*are)(const Subject& subject)) {
  std::vector<Subject> subjects;
  std::copy_if(std::begin(kSubjects), std::end(kSubjects), std::back_inserter(subjects), are);
  return subjects;
}

INSTANTIATE_TEST_SUITE_P(All, DiskTest, testing::ValuesIn(kSubjects), name_of_subject);
INSTANTIATE_TEST_SUITE_P(All, IdxObstacles, testing::ValuesIn(subjects_that([](const Subject& subject) {
                           return std::string_view(subject.format) == "idx";
                         })),
                         name_of_subject);
INSTANTIATE_TEST_SUITE_P(All, LevelsObstacles, testing::ValuesIn(subjects_that([](const Subject& subject) {
                           return subject.has_levels();
                         })),
                         name_of_subject);
INSTANTIATE_TEST_SUITE_P(All, NetcdfObstacles, testing::ValuesIn(subjects_that([](const Subject& subject) {
                           return subject.has_netcdf();
                         })),
                         name_of_subject);

}  // namespace
}  // namespace esker
