// Symbolic links below a dataset, and files whose names look like those of blocks: appending and rewinding
// neither follow nor remove files of others, and no step is written through a link.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs
namespace fs = std::filesystem;

class Links : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    base_ = fs::temp_directory_path() / ("esker-links-" + std::to_string(::getpid()));
    fs::remove_all(base_);
    fs::create_directories(foreign());
    for (const char* name : {"0000.bin", "beef.bin", "cafe", "notes.txt"}) put(foreign() / name);
    run_.path = (base_ / "ds" / "run.idx").string();
    run_.single = GetParam();
    ASSERT_TRUE(write_all(posix_store(), run_).ok());
  }
  void TearDown() override { fs::remove_all(base_); }

  fs::path foreign() const { return base_ / "foreign"; }
  /// The directory of the blocks of a grid.
  fs::path blocks() const { return base_ / "ds" / "run" / (run_.single ? "" : "xyz"); }
  static void put(const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "another's";
  }
  static std::string text_of(const fs::path& path) {
    std::string text;
    std::getline(std::ifstream(path), text);
    return text;
  }
  void expect_foreign_files_are_whole() const {
    for (const char* name : {"0000.bin", "beef.bin", "cafe", "notes.txt"}) {
      EXPECT_EQ(text_of(foreign() / name), "another's") << name;
    }
  }
  /// Appends the steps from `first` to `end` - 1.
  Status append(Index first, Index end) {
    RunPlan next = run_;
    next.first_step = first;
    next.end_step = end;
    return write_all(posix_store(), next);
  }

  fs::path base_;
  RunPlan run_;
};

TEST_P(Links, ALinkInPlaceOfAStepIsNeitherFollowedNorWrittenThrough) {
  fs::create_directory_symlink(foreign(), blocks() / "time_0003");
  ASSERT_TRUE(append(3, 3).ok()) << "appends no step";
  expect_foreign_files_are_whole();
  EXPECT_TRUE(fs::is_symlink(blocks() / "time_0003"));
  const Status refused = append(3, 4);
  EXPECT_EQ(refused.code(), Code::kAlreadyExists) << refused.message();
  EXPECT_NE(refused.message().find("time_0003"), std::string::npos) << refused.message();
  expect_foreign_files_are_whole();
  fs::remove(blocks() / "time_0003");
  EXPECT_TRUE(append(3, 4).ok());
  expect_complete(posix_store(), run_, 4);
}

TEST_P(Links, ALinkInPlaceOfABlockFileIsNotWrittenThrough) {
  fs::create_directories(blocks() / "time_0003");
  fs::create_symlink(foreign() / "0000.bin", blocks() / "time_0003" / "0000.bin");
  const Status refused = append(3, 4);
  EXPECT_EQ(refused.code(), Code::kAlreadyExists) << refused.message();
  expect_foreign_files_are_whole();
}

// Steps that a user moved and linked are read; dropping them keeps the target of the link.
TEST_P(Links, DroppingALinkedStepKeepsItsTarget) {
  fs::rename(blocks() / "time_0002", base_ / "archive");
  fs::create_directory_symlink(base_ / "archive", blocks() / "time_0002");
  expect_complete(posix_store(), run_, 3);
  const auto n_before = std::distance(fs::directory_iterator(base_ / "archive"), fs::directory_iterator());
  run_ranks(1, [&](const Communicator& comm) {
    auto pipeline = WritePipeline::append(comm.get(), posix_store(), run_.path, options_of(run_)).value();
    EXPECT_TRUE(pipeline->rewind({}, time_of(1)).ok());
    EXPECT_TRUE(pipeline->close({}).ok());
  });
  expect_complete(posix_store(), run_, 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(base_ / "archive"), fs::directory_iterator()), n_before);
}

TEST_P(Links, ADatasetThatIsItselfALinkIsWritten) {
  fs::rename(base_ / "ds" / "run", base_ / "scratch");
  fs::create_directory_symlink(base_ / "scratch", base_ / "ds" / "run");
  put(blocks() / "time_0003" / "0000.bin");  // like a leftover of an unfinished step
  EXPECT_TRUE(append(3, 4).ok());
  expect_complete(posix_store(), run_, 4);
  EXPECT_TRUE(fs::is_symlink(base_ / "ds" / "run"));
}

TEST_P(Links, OverwritingADatasetThatIsItselfALinkKeepsTheLink) {
  fs::rename(base_ / "ds" / "run", base_ / "scratch");
  fs::create_directory_symlink(base_ / "scratch", base_ / "ds" / "run");
  run_.overwrite = true;
  run_.end_step = 1;
  EXPECT_TRUE(write_all(posix_store(), run_).ok());
  expect_complete(posix_store(), run_, 1);
  EXPECT_TRUE(fs::is_symlink(base_ / "ds" / "run"));
  EXPECT_TRUE(fs::exists(base_ / "scratch" / (run_.single ? "" : "xyz") / "time_0000"));
  EXPECT_FALSE(fs::exists(base_ / "scratch" / (run_.single ? "" : "xyz") / "time_0002"));
}

TEST_P(Links, OnlyNamesOfBlocksAreRemovedFromAnUnfinishedStep) {
  const fs::path step = blocks() / "time_0003";
  const char* const kForeign[] = {"cafe",  "0000",     "00001.bin",   "ABCD.bin",
                                  "1.bin", "data.bin", "0001.bin.old"};
  for (const char* name : kForeign) put(step / name);
  put(step / "0004" / "000a");  // no name of a file
  for (const char* name : {"0000.bin", "00ff.bin", "0001/0000.bin"}) put(step / name);
  ASSERT_TRUE(append(3, 3).ok());
  for (const char* name : kForeign) EXPECT_TRUE(fs::exists(step / name)) << name;
  EXPECT_TRUE(fs::exists(step / "0004" / "000a"));
  for (const char* name : {"0000.bin", "00ff.bin", "0001"}) EXPECT_FALSE(fs::exists(step / name)) << name;
}

TEST_P(Links, RemovesLeftoversOfReports) {
  const fs::path report = base_ / "ds" / "run.report.json.tmp";
  put(report);
  ASSERT_TRUE(append(3, 3).ok());
  EXPECT_FALSE(fs::exists(report));
  put(report);
  RunPlan again = run_;
  again.overwrite = true;
  ASSERT_TRUE(write_all(posix_store(), again).ok());
  EXPECT_FALSE(fs::exists(report));
}

#ifdef ESKER_HAVE_HDF5
TEST(LinksOfLevels, ALinkInPlaceOfTheStepsIsNotWrittenThrough) {
  for (const char* format : {"vtkhdf", "vtkhdf+idx"}) {
    SCOPED_TRACE(format);
    const fs::path base = fs::temp_directory_path() / ("esker-levels-" + std::to_string(::getpid()));
    fs::remove_all(base);
    RunPlan run;
    run.path = (base / "run.vtkhdf.series").string();
    run.single = true;
    run.schema = mesh_schema();
    run.options = {{"format", format}};
    run.end_step = 1;
    ASSERT_TRUE(write_all(posix_store(), run).ok());
    fs::create_directories(base / "foreign");
    fs::rename(base / "run.vtkhdf.steps", base / "aside");
    fs::create_directory_symlink(base / "foreign", base / "run.vtkhdf.steps");
    run.first_step = 1;
    run.end_step = 2;
    const Status refused = write_all(posix_store(), run);
    EXPECT_EQ(refused.code(), Code::kAlreadyExists) << refused.message();
    EXPECT_NE(refused.message().find("run.vtkhdf.steps is a symbolic link"), std::string::npos);
    EXPECT_TRUE(fs::is_empty(base / "foreign"));
    fs::remove(base / "run.vtkhdf.steps");
    fs::rename(base / "aside", base / "run.vtkhdf.steps");
    const Status again = write_all(posix_store(), run);
    EXPECT_TRUE(again.ok()) << again.message();
    fs::remove_all(base);
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(All, Links, testing::Bool(),
                         [](const auto& test) { return test.param ? "OneGrid" : "SeveralGrids"; });

}  // namespace
}  // namespace esker
