#include "store/source_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.h"

namespace esker {
namespace {

/// Files in memory; counts the requests, and fails on demand.
class Memory final : public ByteSource {
 public:
  Result<Index> size_bytes(const std::string& path) const override {
    ++asked_sizes;
    if (path == "/broken") return error(Code::kIoError, "no answer");
    if (path == "/thrown") throw std::runtime_error("no way");
    const auto found = files.find(path);
    if (found == files.end()) return error(Code::kNotFound, "{}", path);
    return static_cast<Index>(found->second.size());
  }
  Status read(const std::string& path, Index offset, std::span<std::byte> bytes) const override {
    ++reads;
    std::this_thread::sleep_for(takes);
    std::memcpy(bytes.data(), files.at(path).data() + offset, bytes.size());
    return {};
  }
  Result<std::vector<std::string>> list(const std::string& directory) const override {
    if (directory == "/") return std::vector<std::string>{"b", "a"};
    return error(Code::kUnsupported, "{} cannot be listed", directory);
  }

  std::map<std::string, std::string> files;
  std::chrono::milliseconds takes{0};
  mutable std::atomic<int> asked_sizes{0}, reads{0};
};

std::string text_at(const File& file, Index offset, std::size_t size) {
  std::string text(size, '?');
  file.read_at(std::as_writable_bytes(std::span(text)), offset).check();
  return text;
}

class SourceStore : public testing::Test {
 protected:
  void SetUp() override {
    for (int n = 0; n < 300'000; ++n) large_ += static_cast<char>('a' + n % 23);
    source_->files = {{"/a", "some text"}, {"/large", large_}, {"/empty", ""}};
  }
  std::string large_;
  std::shared_ptr<Memory> source_ = std::make_shared<Memory>();
  std::shared_ptr<Store> store_ = source_store(source_);
};

TEST_F(SourceStore, FetchesOnceForSeveralThreads) {
  source_->takes = std::chrono::milliseconds(30);
  const auto file = store_->open("/large", OpenMode::kRead).value();
  std::vector<std::jthread> threads;
  for (Index t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      EXPECT_EQ(text_at(*file, 1000 * t, 100), large_.substr(static_cast<std::size_t>(1000 * t), 100));
    });
  }
  threads.clear();
  EXPECT_EQ(source_->reads, 1);
}

TEST_F(SourceStore, ReadsAnyPart) {
  const auto file = store_->open("/large", OpenMode::kRead).value();
  for (const std::size_t size : {1U, 100U, 16384U, 16385U, 200'000U}) {
    for (const Index offset : {0, 1, 65'535, 65'536, 99'999}) {
      EXPECT_EQ(text_at(*file, offset, size), large_.substr(static_cast<std::size_t>(offset), size));
    }
  }
  EXPECT_EQ(read_text(*store_, "/a", 100).value(), "some text");
  EXPECT_EQ(read_text(*store_, "/empty", 100).value(), "");
}

TEST_F(SourceStore, FetchesAdjacentPartsInOneRequest) {
  const auto file = store_->open("/large", OpenMode::kRead).value();
  for (Index offset = 0; offset < 60'000; offset += 500) (void)text_at(*file, offset, 8);
  EXPECT_EQ(source_->reads, 1);
  for (int n = 0; n < 5; ++n) EXPECT_TRUE(store_->exists("/large").value());
  EXPECT_EQ(source_->asked_sizes, 1);
}

TEST_F(SourceStore, ReportsErrors) {
  EXPECT_EQ(store_->open("/none", OpenMode::kRead).status().code(), Code::kNotFound);
  EXPECT_FALSE(store_->exists("/none").value());
  EXPECT_EQ(store_->exists("/broken").status().code(), Code::kIoError);
  EXPECT_EQ(store_->exists("/thrown").status().code(), Code::kInternal);
  const auto file = store_->open("/a", OpenMode::kRead).value();
  std::vector<std::byte> bytes(5);
  EXPECT_EQ(file->read_at(bytes, 5).code(), Code::kDataLoss);
  EXPECT_EQ(file->read_at(bytes, -1).code(), Code::kDataLoss);
}

TEST_F(SourceStore, ListsDirectoriesIfTheSourceCan) {
  EXPECT_EQ(store_->list("/").value(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(store_->list("/elsewhere").status().code(), Code::kUnsupported);
}

TEST_F(SourceStore, WritesNothing) {
  EXPECT_EQ(store_->open("/a", OpenMode::kWrite).status().code(), Code::kUnsupported);
  EXPECT_EQ(store_->create_exclusive("/new", "").code(), Code::kUnsupported);
  EXPECT_EQ(store_->remove("/a").code(), Code::kUnsupported);
  EXPECT_EQ(store_->rename("/a", "/b").code(), Code::kUnsupported);
  const auto file = store_->open("/a", OpenMode::kRead).value();
  EXPECT_EQ(file->write_at({}, 0).code(), Code::kUnsupported);
}

TEST_F(SourceStore, ServesSeveralThreads) {
  const auto file = store_->open("/large", OpenMode::kRead).value();
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (Index offset = t; offset < 290'000; offset += 1001) {
        EXPECT_EQ(text_at(*file, offset, 64), large_.substr(static_cast<std::size_t>(offset), 64));
      }
    });
  }
}

}  // namespace
}  // namespace esker
