// DeviceMemory on the tests' double of the driver.
#include "device/device_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "base/macros.h"
#include "support/cuda/double.h"
#include "support/device_bytes.h"

namespace esker::device {
namespace {

using testing_support::CudaOfTests;
using testing_support::DeviceBytes;

const Box kBox = Box::from_extent(3, {6, 5, 4});
constexpr std::size_t kBoxBytes = std::size_t{6} * 5 * 4 * 8;

std::vector<std::byte> numbered(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  return bytes;
}

class DeviceMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    CudaOfTests::get();
    objects_before_ = esker_double_num_objects();
  }
  void TearDown() override {
    esker_double_fail(nullptr, 0, 0);
    EXPECT_EQ(esker_double_num_objects(), objects_before_) << "streams, modules ... are left";
  }

  /// Copies the box from the device to `window_`, x and z exchanged.
  Status gather(DeviceMemory& memory) {
    const SampleMap from = SampleMap::dense(kBox, 8);
    const SampleMap to = SampleMap::strided(kBox, {160, 32, 8});
    ESKER_RETURN_IF_ERROR(memory.start_from_device(on_device_.data(), 8, on_device_.data(), from,
                                                   window_.data() + 64, to, window_));
    return memory.finish();
  }
  void expect_gathered() {
    const SampleMap from = SampleMap::dense(kBox, 8);
    const SampleMap to = SampleMap::strided(kBox, {160, 32, 8});
    std::vector<std::byte> expected(window_.size());
    copy_samples(8, bytes_.data(), from, expected.data() + 64, to);
    EXPECT_EQ(window_, expected);
  }

  const Driver& driver_ = *Driver::find();
  const std::vector<std::byte> bytes_ = numbered(kBoxBytes);
  DeviceBytes on_device_{bytes_};
  std::vector<std::byte> window_ = std::vector<std::byte>(2048);
  int objects_before_ = 0;
};

TEST_F(DeviceMemoryTest, TellsWhereMemoryIs) {
  EXPECT_EQ(DeviceMemory::access_to(on_device_.data() + 17).value(), Access::kDevice);
  EXPECT_EQ(DeviceMemory::access_to(bytes_.data()).value(), Access::kHost);
  EXPECT_EQ(DeviceMemory::access_to(nullptr).value(), Access::kHost);
  CudaOfTests::get().call("cuMemHostRegister_v2", static_cast<void*>(window_.data()), window_.size(), 0U);
  EXPECT_EQ(DeviceMemory::access_to(window_.data()).value(), Access::kBoth);
  CudaOfTests::get().call("cuMemHostUnregister", static_cast<void*>(window_.data()));
}

TEST_F(DeviceMemoryTest, ErrorsOfEarlierWorkAreNotTakenForMemoryOfTheHost) {
  esker_double_fail("cuPointerGetAttributes", 0, 700);
  EXPECT_EQ(DeviceMemory::access_to(on_device_.data()).status().code(), Code::kIoError);
  esker_double_fail("cuPointerGetAttributes", 0, 3);  // not initialized: it has no memory
  EXPECT_EQ(DeviceMemory::access_to(on_device_.data()).value(), Access::kHost);
}

// MPI may have pinned the same memory for its own transfers.
TEST_F(DeviceMemoryTest, UsesMemoryThatIsPinnedAlready) {
  CudaOfTests::get().call("cuMemHostRegister_v2", static_cast<void*>(window_.data()), window_.size(), 0U);
  {
    DeviceMemory memory(driver_);
    ASSERT_TRUE(gather(memory).ok());
    expect_gathered();
    EXPECT_EQ(memory.copied_without_kernel_bytes(), 0);
    EXPECT_EQ(memory.pinned_bytes(), 0);
  }
  CudaOfTests::get().call("cuMemHostUnregister", static_cast<void*>(window_.data()));
}

TEST_F(DeviceMemoryTest, RefusesStreamsThatAreCaptured) {
  void* stream = nullptr;
  CudaOfTests::get().call("cuStreamCreate", &stream, 0U);
  {
    DeviceMemory memory(driver_);
    esker_double_capture(stream, 1);
    EXPECT_EQ(memory.wait_for(on_device_.data(), stream).code(), Code::kWrongOrder);
    esker_double_capture(stream, 0);
    EXPECT_TRUE(memory.wait_for(on_device_.data(), stream).ok());
  }
  CudaOfTests::get().call("cuStreamDestroy_v2", stream);
}

// The owner may end that at any time: it is asked again after each finish().
TEST_F(DeviceMemoryTest, ForgetsMemoryThatOthersHavePinned) {
  DeviceMemory memory(driver_);
  CudaOfTests::get().call("cuMemHostRegister_v2", static_cast<void*>(window_.data()), window_.size(), 0U);
  ASSERT_TRUE(gather(memory).ok());
  CudaOfTests::get().call("cuMemHostUnregister", static_cast<void*>(window_.data()));
  ASSERT_TRUE(gather(memory).ok());
  expect_gathered();
  EXPECT_EQ(memory.pinned_bytes(), static_cast<Index>(window_.size()));
}

TEST_F(DeviceMemoryTest, GathersFromPools) {
  esker_double_pool(1);
  {
    DeviceMemory memory(driver_);
    EXPECT_TRUE(memory.wait_for(on_device_.data(), nullptr).ok());
    EXPECT_TRUE(gather(memory).ok());
  }
  esker_double_pool(0);
  expect_gathered();
}

TEST_F(DeviceMemoryTest, FindsMemoryThatWasFreed) {
  DeviceMemory memory(driver_);
  const std::byte* address = nullptr;
  {
    const DeviceBytes freed{bytes_};
    address = freed.data();
    ASSERT_TRUE(memory.wait_for(address, nullptr).ok());
    ASSERT_TRUE(memory.finish().ok());
  }
  EXPECT_EQ(memory.wait_for(address, nullptr).code(), Code::kInvalidArgument);
}

TEST_F(DeviceMemoryTest, GathersByTheKernelIntoPinnedMemory) {
  DeviceMemory memory(driver_);
  const auto by_kernel = esker_double_kernel_bytes();
  ASSERT_TRUE(gather(memory).ok());
  expect_gathered();
  EXPECT_EQ(esker_double_kernel_bytes() - by_kernel, kBoxBytes);
  EXPECT_EQ(memory.copied_without_kernel_bytes(), 0);
  EXPECT_EQ(memory.pinned_bytes(), static_cast<Index>(window_.size()));
  ASSERT_TRUE(gather(memory).ok());
  EXPECT_EQ(memory.pinned_bytes(), static_cast<Index>(window_.size())) << "pinned once";
  memory.unpin();
  EXPECT_EQ(memory.pinned_bytes(), 0);
}

TEST_F(DeviceMemoryTest, FillsDeviceMemory) {
  DeviceMemory memory(driver_);
  std::copy(bytes_.begin(), bytes_.end(), window_.begin());
  const DeviceBytes target{std::vector<std::byte>(kBoxBytes)};
  const SampleMap map = SampleMap::dense(kBox, 8);
  ASSERT_TRUE(
      memory.start_to_device(target.data(), 8, window_.data(), map, target.data(), map, window_).ok());
  ASSERT_TRUE(memory.finish().ok());
  std::vector<std::byte> found(kBoxBytes);
  target.read(found.data());
  EXPECT_EQ(found, bytes_);
}

// The double does the work of a stream when it is synchronized: without wait_for() the old samples are read.
TEST_F(DeviceMemoryTest, WaitsForTheStreamOfThePut) {
  void* stream = nullptr;
  CudaOfTests::get().call("cuStreamCreate", &stream, 0U);
  for (void* const of_program : {stream, static_cast<void*>(nullptr)}) {
    DeviceMemory memory(driver_);
    const auto address = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(on_device_.data()));
    esker_double_fill_later(of_program, address, kBoxBytes, 0x5a);
    ASSERT_TRUE(memory.wait_for(on_device_.data(), of_program).ok());
    ASSERT_TRUE(gather(memory).ok());
    EXPECT_EQ(window_[64], std::byte{0x5a});
    CudaOfTests::get().call("cuMemcpyHtoD_v2", address, static_cast<const void*>(bytes_.data()), kBoxBytes);
  }
  CudaOfTests::get().call("cuStreamDestroy_v2", stream);
}

TEST_F(DeviceMemoryTest, LetsAllCopiesWaitForTheStreamOfThePut) {
  const auto address = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(on_device_.data()));
  const SampleMap byte = SampleMap::dense(Box::from_extent(1, {1}), 1);
  DeviceMemory memory(driver_);
  esker_double_fill_later(nullptr, address, kBoxBytes, 0x5a);
  ASSERT_TRUE(memory.wait_for(on_device_.data(), nullptr).ok());
  for (std::size_t n = 0; n < 8; ++n) {
    ASSERT_TRUE(memory
                    .start_from_device(on_device_.data(), 1, on_device_.data() + n, byte, window_.data() + n,
                                       byte, window_)
                    .ok());
  }
  ASSERT_TRUE(memory.finish().ok());
  EXPECT_EQ(std::count(window_.begin(), window_.begin() + 8, std::byte{0x5a}), 8);
}

TEST_F(DeviceMemoryTest, CopiesBoxesIfTheKernelCannotBeUsed) {
  for (const char* const function :
       {"cuModuleLoadData", "cuModuleGetFunction", "cuMemHostRegister_v2", "cuMemHostGetDevicePointer_v2"}) {
    std::fill(window_.begin(), window_.end(), std::byte{0});
    DeviceMemory memory(driver_);
    esker_double_fail(function, 0, 222);
    const auto by_copies = esker_double_copy_bytes();
    ASSERT_TRUE(gather(memory).ok()) << function;
    expect_gathered();
    EXPECT_EQ(esker_double_copy_bytes() - by_copies, kBoxBytes);
    const std::string without_version = std::string(function).substr(0, 16);
    EXPECT_NE(memory.why_without_kernel().find(without_version), std::string::npos)
        << memory.why_without_kernel();
  }
}

TEST_F(DeviceMemoryTest, ErrorsNameTheCall) {
  for (const char* const function :
       {"cuCtxPushCurrent_v2", "cuStreamCreate", "cuLaunchKernel", "cuStreamSynchronize"}) {
    DeviceMemory memory(driver_);
    esker_double_fail(function, 0, 700);
    const Status status = gather(memory);
    EXPECT_EQ(status.code(), Code::kIoError) << function;
    const std::string name(function, std::strcspn(function, "_"));
    EXPECT_NE(status.message().find(name + ": CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos)
        << status.message();
    EXPECT_TRUE(gather(memory).ok()) << "after " << function;
  }
  DeviceMemory memory(driver_);
  for (const char* const function :
       {"cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuCtxGetCurrent"}) {
    esker_double_fail(function, 0, 2);
    EXPECT_EQ(memory.wait_for(on_device_.data(), nullptr).code(), Code::kOutOfMemory) << function;
  }
}

}  // namespace
}  // namespace esker::device
