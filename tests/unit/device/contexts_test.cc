// DeviceMemory in programs with several contexts and devices, on the tests' double of the driver.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/macros.h"
#include "device/device_memory.h"
#include "support/cuda/double.h"
#include "support/device_context.h"

namespace esker::device {
namespace {

using testing_support::CudaOfTests;
using testing_support::DeviceBytes;
using testing_support::DeviceContext;
using testing_support::result_of;

constexpr std::size_t kFieldBytes = 120;
const SampleMap kMap = SampleMap::dense(Box::from_extent(1, {15}), 8);

std::vector<std::byte> all(int value, std::size_t bytes = kFieldBytes) {
  return std::vector<std::byte>(bytes, static_cast<std::byte>(value));
}

/// `other_` is a context of device 1, which is not its primary one.
class DeviceContexts : public testing::Test {
 protected:
  void SetUp() override { objects_before_ = esker_double_num_objects(); }
  void TearDown() override {
    other_.destroy();
    esker_double_pool(0);
    EXPECT_EQ(esker_double_num_objects(), objects_before_ - 1) << "streams, modules ... are left";
  }

  /// Starts a copy of all bytes to a place in `window_`.
  Status start(DeviceMemory& memory, const std::byte* from, std::size_t at) {
    return memory.start_from_device(from, 8, from, kMap, window_.data() + at, kMap, window_);
  }
  [[nodiscard]] std::vector<std::byte> found(std::size_t at) const {
    const auto begin = window_.begin() + static_cast<std::ptrdiff_t>(at);
    return {begin, begin + kFieldBytes};
  }
  static Address address_of(const std::byte* memory) {
    return static_cast<Address>(reinterpret_cast<std::uintptr_t>(memory));
  }

  const Driver& driver_ = *Driver::find();
  DeviceContext other_{1};
  const DeviceBytes on_first_{all(1)};
  std::byte* const on_second_ = other_.allocate(all(2));
  std::vector<std::byte> window_ = std::vector<std::byte>(1024);
  int objects_before_ = 0;
};

TEST_F(DeviceContexts, OfTwoDevicesAreGatheredTogether) {
  DeviceMemory memory(driver_);
  for (int step = 0; step < 2; ++step) {
    std::fill(window_.begin(), window_.end(), std::byte{0});
    for (const std::byte* const from :
         {static_cast<const std::byte*>(on_first_.data()), static_cast<const std::byte*>(on_second_)}) {
      ASSERT_TRUE(memory.wait_for(from, nullptr).ok());
    }
    EXPECT_TRUE(start(memory, on_first_.data(), 0).ok());
    EXPECT_TRUE(start(memory, on_second_, 120).ok());
    EXPECT_TRUE(start(memory, on_first_.data(), 240).ok());
    const Status status = memory.finish();
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(found(0), all(1));
    EXPECT_EQ(found(120), all(2));
    EXPECT_EQ(found(240), all(1));
  }
  EXPECT_EQ(memory.copied_without_kernel_bytes(), 0) << memory.why_without_kernel();
  EXPECT_EQ(memory.pinned_bytes(), 1024) << "pinned once";
}

// Its retained reference would make the primary context, with memory of the device for nothing.
TEST_F(DeviceContexts, PrimaryContextsAreNotMade) {
  {
    DeviceMemory memory(driver_);
    ASSERT_TRUE(start(memory, on_second_, 0).ok());
    ASSERT_TRUE(memory.finish().ok());
    unsigned flags = 0;
    int is_active = -1;
    EXPECT_EQ(result_of("cuDevicePrimaryCtxGetState", 1, &flags, &is_active), 0);
    EXPECT_EQ(is_active, 0);
  }
  EXPECT_EQ(found(0), all(2));
}

TEST_F(DeviceContexts, OfPoolsWithoutACurrentContextArePrimary) {
  esker_double_pool(1);
  {
    DeviceMemory memory(driver_);
    const Status status = start(memory, on_second_, 0);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_TRUE(memory.finish().ok());
  }
  EXPECT_EQ(found(0), all(2));
}

// Memory that the program has pinned for one context cannot be used in others.
TEST_F(DeviceContexts, UsePinnedMemoryOfTheirOwn) {
  CudaOfTests::get().call("cuMemHostRegister_v2", static_cast<void*>(window_.data()), window_.size(), 0U);
  {
    DeviceMemory memory(driver_);
    EXPECT_TRUE(start(memory, on_first_.data(), 0).ok());
    EXPECT_TRUE(start(memory, on_second_, 120).ok());
    const Status status = memory.finish();
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(memory.copied_without_kernel_bytes(), static_cast<Index>(kFieldBytes));
  }
  EXPECT_EQ(found(0), all(1));
  EXPECT_EQ(found(120), all(2));
  CudaOfTests::get().call("cuMemHostUnregister", static_cast<void*>(window_.data()));
}

// The stream does nothing until it is waited for.
TEST_F(DeviceContexts, WaitForStreamsOfOtherContexts) {
  void* const stream = other_.new_stream();
  esker_double_fill_later(stream, address_of(on_second_), kFieldBytes, 7);
  DeviceMemory memory(driver_);
  ASSERT_TRUE(memory.wait_for(on_first_.data(), stream).ok());
  ASSERT_TRUE(start(memory, on_first_.data(), 0).ok());
  ASSERT_TRUE(memory.finish().ok());
  EXPECT_EQ(found(0), all(1));
  std::vector<std::byte> of_second(kFieldBytes);
  EXPECT_EQ(other_.call("cuMemcpyDtoH_v2", static_cast<void*>(of_second.data()), address_of(on_second_),
                        kFieldBytes),
            0);
  EXPECT_EQ(of_second, all(7)) << "the copy was after the stream's work";
}

// A program puts memory of all its devices while one of them is current.
TEST_F(DeviceContexts, WaitForTheDefaultStreamOfTheMemory) {
  const DeviceContext current(0);
  ASSERT_EQ(result_of("cuCtxPushCurrent_v2", current.handle()), 0);
  const std::byte* const of_current = current.allocate(all(3));
  esker_double_fill_later(nullptr, address_of(on_second_), kFieldBytes, 8);
  esker_double_fill_later(nullptr, address_of(of_current), kFieldBytes, 9);
  {
    DeviceMemory memory(driver_);
    ASSERT_TRUE(memory.wait_for(on_second_, nullptr).ok());
    ASSERT_TRUE(start(memory, on_second_, 0).ok());
    ASSERT_TRUE(memory.finish().ok());
  }
  EXPECT_EQ(found(0), all(8));
  void* popped = nullptr;
  EXPECT_EQ(result_of("cuCtxPopCurrent_v2", &popped), 0);
  std::vector<std::byte> now(kFieldBytes);
  // Not ordered after the default stream: a copy that sees what that has done.
  EXPECT_EQ(
      current.call("cuMemcpyDtoH_v2", static_cast<void*>(now.data()), address_of(of_current), kFieldBytes),
      0);
  EXPECT_EQ(now, all(9));
}

TEST_F(DeviceContexts, ThatWereDestroyedAreReported) {
  {
    DeviceMemory memory(driver_);
    ASSERT_TRUE(start(memory, on_first_.data(), 0).ok());
    ASSERT_TRUE(start(memory, on_second_, 120).ok());
    other_.destroy();
    const Status status = memory.finish();
    EXPECT_EQ(status.code(), Code::kIoError);
    EXPECT_NE(status.message().find("cuCtxPushCurrent: CUDA_ERROR_CONTEXT_IS_DESTROYED"), std::string::npos)
        << status.message();
    EXPECT_EQ(found(0), all(1)) << "finish() waits for all others";
    EXPECT_EQ(memory.wait_for(on_second_, nullptr).code(), Code::kInvalidArgument);
    EXPECT_TRUE(start(memory, on_first_.data(), 240).ok());
    EXPECT_TRUE(memory.finish().ok()) << "an error is reported once";
    EXPECT_EQ(found(240), all(1));
  }
}

// Here the destroyed context had pinned the window.
TEST_F(DeviceContexts, ThatWereDestroyedEndTheirPins) {
  DeviceMemory memory(driver_);
  ASSERT_TRUE(start(memory, on_second_, 0).ok());
  ASSERT_TRUE(memory.finish().ok());
  other_.destroy();
  ASSERT_TRUE(start(memory, on_first_.data(), 0).ok());
  const Status status = memory.finish();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(found(0), all(1));
}

TEST_F(DeviceContexts, ThatWereResetAreReported) {
  void* primary = nullptr;
  ASSERT_EQ(result_of("cuDevicePrimaryCtxRetain", &primary, 1), 0);
  ASSERT_EQ(result_of("cuCtxPushCurrent_v2", primary), 0);
  Address address = 0;
  ASSERT_EQ(result_of("cuMemAlloc_v2", &address, kFieldBytes), 0);
  void* popped = nullptr;
  ASSERT_EQ(result_of("cuCtxPopCurrent_v2", &popped), 0);
  {
    DeviceMemory memory(driver_);
    const auto* const from = reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(address));
    ASSERT_TRUE(start(memory, from, 0).ok());
    ASSERT_EQ(result_of("cuDevicePrimaryCtxReset_v2", 1), 0);
    EXPECT_EQ(memory.finish().code(), Code::kIoError);
  }
  EXPECT_EQ(result_of("cuDevicePrimaryCtxRelease_v2", 1), 0);
  unsigned flags = 0;
  int is_active = -1;
  EXPECT_EQ(result_of("cuDevicePrimaryCtxGetState", 1, &flags, &is_active), 0);
  EXPECT_EQ(is_active, 0) << "it was released as often as retained";
}

}  // namespace
}  // namespace esker::device
