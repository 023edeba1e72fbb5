#include "tune/knowledge.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/text.h"
#include "store/faulty_store.h"
#include "support/tuned_runs.h"

namespace esker {
namespace {

using testing_support::names_in;
using testing_support::store_text;

constexpr const char* kPath = "/cache/esker/tuning.json";

TEST(Knowledge, RemembersWhatEachKindOfRunSettledOn) {
  const auto store = memory_store();
  EXPECT_EQ(recall(*store, kPath, "a").value(), std::nullopt);
  remember(*store, kPath, "a", {{"aggregators", "4"}}).check();
  remember(*store, kPath, "b", {}).check();
  EXPECT_EQ(recall(*store, kPath, "a").value(), (Setting{{"aggregators", "4"}}));
  EXPECT_EQ(recall(*store, kPath, "b").value(), Setting{});
  remember(*store, kPath, "a", {{"transport", "messages"}}).check();
  EXPECT_EQ(recall(*store, kPath, "a").value(), (Setting{{"transport", "messages"}}));
  EXPECT_EQ(store->list("/cache/esker").value(), std::vector<std::string>{"tuning.json"});
}

TEST(Knowledge, ForgetsTheOldest) {
  const auto store = memory_store();
  for (int i = 0; i < 300; ++i) remember(*store, kPath, std::to_string(i), {}).check();
  EXPECT_EQ(recall(*store, kPath, "0").value(), std::nullopt);
  EXPECT_EQ(recall(*store, kPath, "299").value(), Setting{});
}

TEST(Knowledge, ADamagedFileIsAnErrorAndReplaced) {
  std::string deep = "{\"format\": 1, \"settings\": ";
  for (int i = 0; i < 1000; ++i) deep += "[";
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("{\"format\": 1}"), deep,
        std::string("{\"format\": 1, \"settings\": [3]}"),
        std::string("{\"format\": 1, \"settings\": [{\"key\": \"a\", \"setting\": {\"aggregators\": NaN}}]}"),
        std::string(
            "{\"format\": 1, \"settings\": [{\"key\": \"a\", \"setting\": {\"aggregators\": \"-1\"}}]}"),
        std::string(
            "{\"format\": 1, \"settings\": [{\"key\": \"a\", \"setting\": {\"report\": \"/etc/x\"}}]}"),
        std::string(
            "{\"format\": 1, \"settings\": [{\"key\": \"a\", \"setting\": {\"overwrite\": \"true\"}}]}"),
        std::string(2 << 20, ' ')}) {
    const auto store = memory_store();
    store_text(*store, kPath, text);
    EXPECT_EQ(recall(*store, kPath, "a").status().code(), Code::kDataLoss) << excerpt(text);
    remember(*store, kPath, "a", {}).check();
    EXPECT_EQ(recall(*store, kPath, "a").value(), Setting{});
  }
}

TEST(Knowledge, AFileOfANewerVersionIsKept) {
  const auto store = memory_store();
  const std::string text = "{\"format\": 2, \"others\": []}";
  store_text(*store, kPath, text);
  EXPECT_EQ(recall(*store, kPath, "a").status().code(), Code::kUnsupported);
  EXPECT_EQ(remember(*store, kPath, "a", {}).code(), Code::kUnsupported);
  EXPECT_EQ(read_text(*store, kPath, 1000).value(), text);
}

TEST(Knowledge, AFileThatCannotBeReadIsKept) {
  const auto inner = memory_store();
  remember(*inner, kPath, "a", {}).check();
  const auto store = faulty_store(
      inner, [](StoreCall call, const std::string&) { return call == StoreCall::kRead ? EIO : 0; });
  EXPECT_EQ(remember(*store, kPath, "b", {}).code(), Code::kIoError);
  EXPECT_EQ(recall(*inner, kPath, "a").value(), Setting{});
}

TEST(Knowledge, WithoutWriteAccessNothingIsLeft) {
  for (const StoreCall failing : {StoreCall::kOpen, StoreCall::kWrite, StoreCall::kRename}) {
    const auto inner = memory_store();
    const auto store =
        faulty_store(inner, [&](StoreCall call, const std::string&) { return call == failing ? EACCES : 0; });
    EXPECT_FALSE(remember(*store, kPath, "a", {}).ok());
    EXPECT_TRUE(names_in(*inner, "/cache/esker").empty());
  }
}

TEST(Knowledge, ManyRunsAtOnceNeverTearTheFile) {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("esker-knowledge-" + std::to_string(::getpid()));
  const std::string path = (directory / "tuning.json").string();
  std::filesystem::create_directories(directory);
  std::vector<std::thread> runs;
  for (int r = 0; r < 4; ++r) {
    runs.emplace_back([&, r] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(remember(*posix_store(), path, std::to_string(r), {{"aggregators", "4"}}).ok());
        EXPECT_TRUE(recall(*posix_store(), path, std::to_string(r)).ok());
      }
    });
  }
  for (std::thread& run : runs) run.join();
  EXPECT_EQ(posix_store()->list(directory.string()).value(), std::vector<std::string>{"tuning.json"});
  std::filesystem::remove_all(directory);
}

TEST(Knowledge, IsInTheCacheOfTheUser) {
  const char* home = std::getenv("HOME");
  const std::string before = home ? home : "";
  ::setenv("XDG_CACHE_HOME", "/a/cache", 1);
  EXPECT_EQ(knowledge_path(), "/a/cache/esker/tuning.json");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  ::setenv("HOME", "/home/u", 1);
  EXPECT_EQ(knowledge_path(), "/home/u/.cache/esker/tuning.json");
  ::setenv("HOME", "", 1);
  EXPECT_EQ(knowledge_path(), "");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", before.c_str(), 1);
}

TEST(Knowledge, NodesOfAClusterAreOneMachine) {
  EXPECT_TRUE(std::ranges::none_of(machine_name(), [](char c) { return c >= '0' && c <= '9'; }));
}

}  // namespace
}  // namespace esker
