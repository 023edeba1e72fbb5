// One suite for all stores: a new store passes by joining the list at the end.
#include "store/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <iterator>
#include <span>
#include <sstream>
#include <vector>

#include "store/commit.h"
#include "store/faulty_store.h"
#include "store/lock.h"

namespace esker {
namespace {

struct StoreCase {
  const char* name;
  std::function<std::shared_ptr<Store>()> make;
};

class StoreTest : public testing::TestWithParam<StoreCase> {
 protected:
  void SetUp() override {
    store_ = GetParam().make();
    base_ = (std::filesystem::temp_directory_path() /
             ("esker-store-" + std::to_string(::getpid()) + "-" +
              std::filesystem::path(testing::UnitTest::GetInstance()->current_test_info()->name())
                  .parent_path()
                  .string()))
                .string();
    ASSERT_TRUE(store_->remove_all(base_).ok());
    ASSERT_TRUE(store_->make_directories(base_).ok());
  }
  void TearDown() override { EXPECT_TRUE(store_->remove_all(base_).ok()); }

  std::string path(const std::string& name) const { return base_ + "/" + name; }

  void write(const std::string& name, const std::string& text, Index offset = 0) {
    auto file = store_->open(path(name), OpenMode::kWrite);
    ASSERT_TRUE(file.ok()) << file.status().message();
    ASSERT_TRUE((*file)->write_at(std::as_bytes(std::span(text)), offset).ok());
    ASSERT_TRUE((*file)->close().ok());
  }
  std::string read(const std::string& name) { return read_text(*store_, path(name), 1 << 20).value(); }

  std::shared_ptr<Store> store_;
  std::string base_;
};

TEST_P(StoreTest, WritesAndReadsAtOffsets) {
  write("a", "hello");
  write("a", "LL", 2);
  EXPECT_EQ(read("a"), "heLLo");
  write("a", "!", 7);
  EXPECT_EQ(read("a"), std::string("heLLo\0\0!", 8));
}

TEST_P(StoreTest, ExtendsWithZerosAndNeverTruncates) {
  write("a", "hello");
  const auto file = store_->open(path("a"), OpenMode::kWrite).value();
  EXPECT_TRUE(file->extend_to(3).ok());
  EXPECT_EQ(read("a"), "hello");
  EXPECT_TRUE(file->extend_to(7).ok());
  EXPECT_EQ(read("a"), std::string("hello\0\0", 7));
}

TEST_P(StoreTest, ShrinksAndNeverExtends) {
  write("a", "hello");
  const auto file = store_->open(path("a"), OpenMode::kWrite).value();
  EXPECT_TRUE(file->shrink_to(9).ok());
  EXPECT_EQ(read("a"), "hello");
  EXPECT_TRUE(file->shrink_to(2).ok());
  EXPECT_EQ(read("a"), "he");
  EXPECT_TRUE(file->extend_to(4).ok());
  EXPECT_EQ(read("a"), std::string("he\0\0", 4)) << "what was cut off does not come back";
}

TEST_P(StoreTest, MakesMissingDirectoriesOfAFile) {
  write("deep/down/file", "x");
  EXPECT_EQ(read("deep/down/file"), "x");
  EXPECT_EQ(store_->list(path("deep")).value(), std::vector<std::string>{"down"});
}

TEST_P(StoreTest, ReadingPastTheEndIsDataLoss) {
  write("a", "abc");
  const auto file = store_->open(path("a"), OpenMode::kRead).value();
  std::array<std::byte, 4> bytes{};
  EXPECT_EQ(file->read_at(bytes, 0).code(), Code::kDataLoss);
  EXPECT_EQ(file->size_bytes().value(), 3);
}

TEST_P(StoreTest, MissingFilesAreNotFound) {
  const auto file = store_->open(path("none"), OpenMode::kRead);
  EXPECT_EQ(file.status().code(), Code::kNotFound);
  EXPECT_NE(file.status().message().find("none"), std::string::npos);
  EXPECT_FALSE(store_->exists(path("none")).value());
  EXPECT_TRUE(store_->list(path("none")).value().empty());
  EXPECT_TRUE(store_->remove(path("none")).ok());
  EXPECT_TRUE(store_->remove_all(path("none")).ok());
}

TEST_P(StoreTest, ReadOnlyFilesRefuseWrites) {
  write("a", "abc");
  const auto file = store_->open(path("a"), OpenMode::kRead).value();
  EXPECT_EQ(file->write_at(std::as_bytes(std::span("x", 1)), 0).code(), Code::kIoError);
}

TEST_P(StoreTest, ADirectoryIsNotAFile) {
  ASSERT_TRUE(store_->make_directories(path("d")).ok());
  EXPECT_EQ(store_->open(path("d"), OpenMode::kRead).status().code(), Code::kIoError);
  EXPECT_EQ(store_->open(path("d"), OpenMode::kWrite).status().code(), Code::kIoError);
}

TEST_P(StoreTest, CreateExclusiveMakesAFileOnce) {
  EXPECT_TRUE(store_->create_exclusive(path("lock"), "me").ok());
  EXPECT_EQ(store_->create_exclusive(path("lock"), "you").code(), Code::kAlreadyExists);
  EXPECT_EQ(read("lock"), "me");
}

TEST_P(StoreTest, RenameReplaces) {
  write("old", "old");
  write("new", "new");
  EXPECT_TRUE(store_->rename(path("new"), path("old")).ok());
  EXPECT_EQ(read("old"), "new");
  EXPECT_FALSE(store_->exists(path("new")).value());
  EXPECT_EQ(store_->rename(path("gone"), path("old")).code(), Code::kNotFound);
}

TEST_P(StoreTest, RemoveAllRemovesTheTree) {
  write("t/a", "1");
  write("t/b/c", "2");
  write("tail", "3");
  EXPECT_TRUE(store_->remove_all(path("t")).ok());
  EXPECT_FALSE(store_->exists(path("t")).value());
  EXPECT_TRUE(store_->exists(path("tail")).value());
}

TEST_P(StoreTest, ReplaceFileLeavesNoTemporary) {
  for (const bool durable : {false, true}) {
    ASSERT_TRUE(replace_file(*store_, path("f"), "a longer first text", durable).ok());
    ASSERT_TRUE(replace_file(*store_, path("f"), "second", durable).ok());
    EXPECT_EQ(read("f"), "second");
    EXPECT_EQ(store_->list(base_).value(), std::vector<std::string>{"f"});
  }
}

TEST_P(StoreTest, AFailedReplaceLeavesTheOldFile) {
  ASSERT_TRUE(replace_file(*store_, path("f"), "old", false).ok());
  for (const StoreCall failing :
       {StoreCall::kOpen, StoreCall::kWrite, StoreCall::kSync, StoreCall::kClose, StoreCall::kRename}) {
    const auto faulty = faulty_store(
        store_, [failing](StoreCall call, const std::string&) { return call == failing ? ENOSPC : 0; });
    const Status status = replace_file(*faulty, path("f"), "a new and longer text", true);
    EXPECT_EQ(status.code(), Code::kIoError);
    EXPECT_NE(status.message().find("No space left"), std::string::npos) << status.message();
    EXPECT_EQ(read("f"), "old");
    EXPECT_EQ(store_->list(base_).value(), std::vector<std::string>{"f"});
  }
}

TEST_P(StoreTest, ALockHoldsUntilReleased) {
  auto lock = std::make_unique<WriterLock>(store_, path("l"));
  ASSERT_TRUE(lock->acquire().ok());
  const Status second = WriterLock(store_, path("l")).acquire();
  EXPECT_EQ(second.code(), Code::kAlreadyExists);
  EXPECT_NE(second.message().find(std::to_string(::getpid())), std::string::npos);
  EXPECT_TRUE(lock->release().ok());
  EXPECT_TRUE(WriterLock(store_, path("l")).acquire().ok());
  EXPECT_FALSE(store_->exists(path("l")).value());  // the destructor released it
}

TEST_P(StoreTest, ABorrowedLockIsHeldAsLongAsItsLenderHolds) {
  WriterLock lender(store_, path("run.lock"));
  lender.acquire().check();
  const auto borrowed = WriterLock::borrow(lender);
  EXPECT_TRUE(borrowed->acquire().ok());
  EXPECT_TRUE(borrowed->check_held().ok());
  EXPECT_TRUE(borrowed->release().ok());
  EXPECT_TRUE(lender.check_held().ok());
  lender.release().check();
  EXPECT_EQ(borrowed->check_held().code(), Code::kDataLoss);
  EXPECT_EQ(borrowed->acquire().code(), Code::kDataLoss);
  EXPECT_TRUE(WriterLock(store_, path("run.lock")).acquire().ok());
}

TEST_P(StoreTest, ALockOfADeadProcessIsTakenOverAndOneOfAnotherHostIsNot) {
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  ASSERT_TRUE(store_->create_exclusive(path("l"), std::string(host.data()) + " 999999999 -\n").ok());
  EXPECT_TRUE(WriterLock(store_, path("l")).acquire().ok());
  ASSERT_TRUE(store_->create_exclusive(path("l"), "elsewhere 999999999 -\n").ok());
  EXPECT_EQ(WriterLock(store_, path("l")).acquire().code(), Code::kAlreadyExists);
}

// The number of a process that has ended may belong to another process: the start time distinguishes them.
TEST_P(StoreTest, ALockOfAProcessWhoseNumberIsInUseAgainIsTakenOver) {
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  const std::string me = std::string(host.data()) + " " + std::to_string(::getpid());
  ASSERT_TRUE(store_->create_exclusive(path("l"), me + " - 1\n").ok());
  EXPECT_TRUE(WriterLock(store_, path("l")).acquire().ok());
  ASSERT_TRUE(store_->create_exclusive(path("l"), me + " -\n").ok());  // does not say when it started
  EXPECT_EQ(WriterLock(store_, path("l")).acquire().code(), Code::kAlreadyExists);
}

/// The text of this process' lock after the job: start time, number, boot, PID namespace.
std::vector<std::string> words_of_a_lock(Store& store, const std::string& path) {
  WriterLock lock(std::shared_ptr<Store>(&store, [](Store*) {}), path);
  lock.acquire().check();
  std::istringstream words(read_text(store, path, 4096).value());
  return {std::istream_iterator<std::string>(words), {}};
}

// In another container, or on another machine of the same name, a process number belongs to another process.
TEST_P(StoreTest, ALockOfAJobWithoutANumberHolds) {
  for (const char* job : {"", "two words", "line\n"}) {
    ASSERT_EQ(::setenv("PBS_JOBID", job, 1), 0);
    const auto lock = std::make_unique<WriterLock>(store_, path("l"));
    const Status taken = lock->acquire();
    ::unsetenv("PBS_JOBID");
    ASSERT_TRUE(taken.ok()) << taken.message();
    const Status second = WriterLock(store_, path("l")).acquire();
    EXPECT_EQ(second.code(), Code::kAlreadyExists) << job;
    const std::string holder = fmt::format(" {} -)", ::getpid());
    EXPECT_NE(second.message().find(holder), std::string::npos) << second.message();
    EXPECT_TRUE(lock->check_held().ok());
  }
}

TEST_P(StoreTest, ALockOfAnotherPidNamespaceOrBootIsNotTakenOver) {
  const auto mine = words_of_a_lock(*store_, path("l"));
  ASSERT_EQ(mine.size(), 7u);
  const auto text_with = [&](const std::string& boot, const std::string& pid_namespace) {
    return mine[0] + " 999999999 - 1 1 " + boot + " " + pid_namespace + "\n";
  };
  for (const auto& text :
       {text_with(mine[5], "pid:[1]"), text_with("another", mine[6]), text_with("-", "-")}) {
    ASSERT_TRUE(store_->create_exclusive(path("l"), text).ok());
    const Status held = WriterLock(store_, path("l")).acquire();
    EXPECT_EQ(held.code(), Code::kAlreadyExists) << text;
    EXPECT_NE(held.message().find("999999999"), std::string::npos) << held.message();
    EXPECT_NE(held.message().find("another container"), std::string::npos) << held.message();
    EXPECT_EQ(read("l"), text);
    ASSERT_TRUE(store_->remove(path("l")).ok());
  }
  ASSERT_TRUE(store_->create_exclusive(path("l"), text_with(mine[5], mine[6])).ok());
  EXPECT_TRUE(WriterLock(store_, path("l")).acquire().ok());
}

TEST_P(StoreTest, TakingALockRemovesLeftoversOfDeadProcesses) {
  const auto mine = words_of_a_lock(*store_, path("l"));
  const std::string dead = mine[0] + " 999999999 -\n";
  for (const char* name : {"l.12.new", "l.12.0abcdef1.new"}) write(name, "half a te");
  for (const char* name : {"l.12.dead", "l.12.0abcdef1.dead"}) write(name, dead);
  const std::vector<std::string> others{"l.13.dead", "l.my.new", "l.new", "l2.12.new"};
  for (const std::string& name : others) write(name, "elsewhere 12 -\n");
  {
    WriterLock lock(store_, path("l"));
    EXPECT_TRUE(lock.acquire().ok());
  }
  EXPECT_EQ(store_->list(base_).value(), others);
}

TEST_P(StoreTest, CreateExclusiveLeavesNothingElse) {
  EXPECT_TRUE(store_->create_exclusive(path("lock"), "me").ok());
  EXPECT_FALSE(store_->create_exclusive(path("lock"), "you").ok());
  EXPECT_EQ(store_->list(base_).value(), std::vector<std::string>{"lock"});
}

TEST_P(StoreTest, FreeSpaceIsThatOfTheNearestDirectory) {
  EXPECT_GT(store_->free_bytes(base_).value(), 0);
  EXPECT_GT(store_->free_bytes(path("not/yet/made")).value(), 0);
  EXPECT_GT(store_->free_bytes("relative").value(), 0);
}

TEST(NullStore, KeepsSmallFilesAndTheSizeOfOthers) {
  const auto store = null_store();
  const auto file = store->open("f", OpenMode::kWrite).value();
  const std::vector<std::byte> large(1 << 20, std::byte{7});
  ASSERT_TRUE(file->write_at(large, 10).ok());
  EXPECT_EQ(file->size_bytes().value(), 10 + (1 << 20));
  std::vector<std::byte> back(1 << 20);
  ASSERT_TRUE(file->read_at(back, 10).ok());
  EXPECT_EQ(back.front(), std::byte{7});
  EXPECT_EQ(back.back(), std::byte{0});
}

// A killed process keeps its number until its parent waits for it, which may take a while in a container.
TEST_P(StoreTest, ALockOfAnEndedProcessIsTakenOverBeforeItsParentWaits) {
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  const std::string holder = std::string(host.data()) + " " + std::to_string(child) + " -\n";
  ASSERT_TRUE(store_->create_exclusive(path("l"), holder).ok());
  const Status taken = WriterLock(store_, path("l")).acquire();
  EXPECT_TRUE(taken.ok()) << taken.message();
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST_P(StoreTest, ReadTextRefusesLargeFiles) {
  write("a", std::string(100, 'x'));
  EXPECT_EQ(read_text(*store_, path("a"), 99).status().code(), Code::kDataLoss);
}

TEST_P(StoreTest, AFileHasNoNamesInIt) {
  write("a", "x");
  EXPECT_TRUE(store_->list(path("a")).value().empty());
}

// A user who may write to the directory may guess names.
TEST(PosixStore, CreateExclusiveFollowsNoLink) {
  namespace fs = std::filesystem;
  const fs::path base = fs::temp_directory_path() / ("esker-guess-" + std::to_string(::getpid()));
  fs::remove_all(base);
  fs::create_directories(base);
  const auto store = posix_store();
  ASSERT_TRUE(store->create_exclusive(base / "foreign", "another's").ok());
  fs::create_symlink(base / "foreign", base / ("lock." + std::to_string(::getpid()) + ".new"));
  fs::create_symlink(base / "nothing", base / "lock");
  EXPECT_EQ(store->create_exclusive(base / "lock", "mine").code(), Code::kAlreadyExists);
  EXPECT_FALSE(fs::exists(base / "nothing"));
  fs::remove(base / "lock");
  {
    WriterLock lock(store, base / "lock");
    ASSERT_TRUE(lock.acquire().ok());
    EXPECT_EQ(read_text(*store, base / "foreign", 100).value(), "another's");
    EXPECT_TRUE(store->is_link(base / ("lock." + std::to_string(::getpid()) + ".new")).value());
    EXPECT_FALSE(store->is_link(base / "lock").value());
  }
  fs::remove_all(base);
}

// Opening a pipe would wait for a writer.
TEST(PosixStore, AFileWithoutANameIsSeenByNobody) {
  const auto directory =
      std::filesystem::temp_directory_path() / ("esker-unnamed-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  const auto file = open_unnamed(directory.string()).value();
  const std::string text = "some bytes";
  const auto bytes = std::as_bytes(std::span(text));
  file->write_at(bytes, 1000).check();
  std::vector<std::byte> found(bytes.size());
  file->read_at(found, 1000).check();
  EXPECT_TRUE(std::equal(found.begin(), found.end(), bytes.begin()));
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  std::filesystem::remove_all(directory);
  const Status missing = open_unnamed(directory.string()).status();
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_NE(missing.message().find(directory.string()), std::string::npos) << missing.message();
}

TEST(PosixStore, OtherThanFilesIsRefusedImmediately) {
  const auto pipe = std::filesystem::temp_directory_path() / ("esker-pipe-" + std::to_string(::getpid()));
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  for (const std::string& path : {pipe.string(), std::string("/dev/zero"), std::string("/tmp")}) {
    EXPECT_EQ(posix_store()->open(path, OpenMode::kRead).status().code(), Code::kIoError) << path;
  }
  std::filesystem::remove(pipe);
}

INSTANTIATE_TEST_SUITE_P(
    All, StoreTest,
    testing::Values(StoreCase{"posix", posix_store}, StoreCase{"memory", memory_store},
                    StoreCase{"null", null_store},
                    StoreCase{"faultless",
                              [] { return faulty_store(memory_store(), [](auto, auto&) { return 0; }); }}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace esker
