#include "write/store_queue.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <new>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "esker/types/status.hpp"
#include "plan/plan.h"

namespace esker {
namespace {

std::vector<std::byte> numbered(std::size_t size, int seed) {
  std::vector<std::byte> bytes(size);
  std::mt19937 random(static_cast<unsigned>(seed));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// Adds `n` buffers of growing size, and expects the actions to get their bytes in order.
void expect_order(StoreQueue& queue, int n, std::chrono::microseconds each) {
  std::vector<int> called;
  for (int i = 0; i < n; ++i) {
    std::vector<std::byte> bytes = numbered(static_cast<std::size_t>(100 + 37 * i), i);
    const auto misaligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % kBufferAlignment;
    const Status added = queue.add(bytes, [&called, i, each, misaligned](std::span<std::byte> copy) {
      std::this_thread::sleep_for(each);
      const auto expected = numbered(static_cast<std::size_t>(100 + 37 * i), i);
      EXPECT_TRUE(std::equal(copy.begin(), copy.end(), expected.begin(), expected.end()));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copy.data()) % kBufferAlignment, misaligned);
      std::fill(copy.begin(), copy.end(), std::byte{0});
      called.push_back(i);
      return Status();
    });
    EXPECT_TRUE(added.ok());
    std::fill(bytes.begin(), bytes.end(), std::byte{0xff});  // it was copied
  }
  EXPECT_TRUE(queue.finish().ok());
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(called, all);
  EXPECT_EQ(queue.pending_bytes(), 0);
}

TEST(StoreQueue, StoresCopiesInOrder) {
  StoreQueue queue({Index{1} << 20, {}});
  for (int round = 0; round < 3; ++round) expect_order(queue, 50, std::chrono::microseconds(round * 50));
  EXPECT_GT(queue.peak_bytes(), 0);
  EXPECT_LE(queue.peak_bytes(), Index{1} << 20);
  EXPECT_EQ(queue.staged_bytes(), 0);
}

TEST(StoreQueue, KeepsItsMemoryWithinTheLimit) {
  for (const Index limit : {1, 300, 2000, 6000}) {
    StoreQueue queue({limit, {}});
    expect_order(queue, 40, std::chrono::microseconds(100));
    EXPECT_LE(queue.peak_bytes(), limit);
  }
}

TEST(StoreQueue, PutsWhatExceedsTheMemoryInATemporaryFile) {
  const auto directory =
      std::filesystem::temp_directory_path() / ("esker-stage-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  StoreQueue queue({6000, directory.string()});
  for (int round = 0; round < 2; ++round) expect_order(queue, 40, std::chrono::microseconds(500));
  EXPECT_GT(queue.staged_bytes(), 0);
  EXPECT_LE(queue.peak_bytes(), 6000);
  EXPECT_TRUE(std::filesystem::is_empty(directory)) << "the file has no name";
  std::filesystem::remove_all(directory);
}

TEST(StoreQueue, ADirectoryThatIsMissingIsNotUsed) {
  StoreQueue queue({3000, "/nonexistent/stage"});
  expect_order(queue, 40, std::chrono::microseconds(100));
  EXPECT_EQ(queue.staged_bytes(), 0);
}

TEST(StoreQueue, StopsAtTheFirstError) {
  StoreQueue queue({Index{1} << 20, {}});
  std::vector<std::byte> bytes(10);
  std::atomic<int> calls = 0;
  for (int i = 0; i < 10; ++i) {
    (void)queue.add(bytes, [&](std::span<std::byte>) {
      return ++calls == 3 ? Status(Code::kIoError, "full") : Status();
    });
  }
  EXPECT_EQ(queue.finish().message(), "full");
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(queue.finish().ok()) << "it is forgotten";
  EXPECT_TRUE(queue.add(bytes, [&](std::span<std::byte>) { return ++calls, Status(); }).ok());
  EXPECT_TRUE(queue.finish().ok());
  EXPECT_EQ(calls, 4);
}

TEST(StoreQueue, DropsWhatWasNotBegunWhenItIsCancelled) {
  StoreQueue queue({Index{1} << 20, {}});
  std::vector<std::byte> bytes(10);
  std::atomic<int> calls = 0;
  std::atomic<bool> begun = false, may_end = false;
  for (int i = 0; i < 10; ++i) {
    (void)queue.add(bytes, [&](std::span<std::byte>) {
      begun = true;
      while (!may_end) std::this_thread::yield();
      return ++calls, Status();
    });
  }
  while (!begun) std::this_thread::yield();
  EXPECT_EQ(queue.pending_bytes(), 100);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    may_end = true;
  });
  queue.cancel();
  opener.join();
  EXPECT_EQ(calls, 1);
}

// One that exceeds the memory is stored at once, and changes nothing for the others.
TEST(StoreQueue, OneLargeBufferDoesNotEndTheQueue) {
  StoreQueue queue({4096, std::filesystem::temp_directory_path().string()});
  std::vector<std::byte> large(10000), small(100);
  int calls = 0;
  EXPECT_TRUE(queue.add(large, [&](std::span<std::byte>) { return ++calls, Status(); }).ok());
  EXPECT_EQ(calls, 1);
  std::atomic<bool> may_end = false;
  for (int i = 0; i < 5; ++i) {
    (void)queue.add(small, [&](std::span<std::byte>) {
      while (!may_end) std::this_thread::yield();
      return ++calls, Status();
    });
  }
  EXPECT_EQ(queue.pending_bytes(), 500);
  may_end = true;
  EXPECT_TRUE(queue.finish().ok());
  EXPECT_EQ(calls, 6);
}

TEST(StoreQueue, AnActionWithoutBytesComesInTurnAndMayThrow) {
  StoreQueue queue({4096, {}});
  std::vector<std::byte> bytes(10);
  std::string order;
  EXPECT_TRUE(queue.add(bytes, [&](std::span<std::byte>) { return order += "a", Status(); }).ok());
  EXPECT_TRUE(queue.add([&] { return order += "b", Status(); }).ok());
  EXPECT_TRUE(queue.finish().ok());
  EXPECT_EQ(order, "ab");
  (void)queue.add([]() -> Status { throw std::bad_alloc(); });
  EXPECT_EQ(queue.finish().code(), Code::kOutOfMemory);
}

TEST(StoreQueue, ANewRunBeginsAfterAFinish) {
  StoreQueue queue({Index{1} << 20, {}, 1});
  expect_order(queue, 5, std::chrono::microseconds(0));
  queue.cancel();
  expect_order(queue, 5, std::chrono::microseconds(0));
}

}  // namespace
}  // namespace esker
