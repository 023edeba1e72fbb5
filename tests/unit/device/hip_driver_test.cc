// HIP behind the functions of the CUDA driver, on the tests' double of HIP.
#include "device/hip_driver.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "base/macros.h"
#include "device/device_memory.h"
#include "support/cuda/double.h"
#include "support/device_bytes.h"

namespace esker::device {
namespace {

using testing_support::CudaOfTests;
using testing_support::DeviceBytes;

constexpr Index kBytes = 6 * 5 * 4 * 8;
const Box kBox = Box::from_extent(3, {6, 5, 4});

class HipDriverTest : public testing::Test {
 protected:
  void SetUp() override {
    CudaOfTests::get();
    objects_before_ = esker_double_num_objects();
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<std::byte>(i * 7 + i / 256);
  }
  void TearDown() override {
    esker_double_fail(nullptr, 0, 0);
    EXPECT_EQ(esker_double_num_objects(), objects_before_) << "streams, modules ... are left";
  }

  /// Copies the box to the window, x and z exchanged, and back to a box of a device.
  Status there_and_back(DeviceMemory& memory, std::byte* box) {
    const SampleMap dense = SampleMap::dense(kBox, 8), turned = SampleMap::strided(kBox, {160, 32, 8});
    const DeviceBytes on_device(bytes_), back(std::vector<std::byte>(bytes_.size()));
    ESKER_RETURN_IF_ERROR(memory.start_from_device(on_device.data(), 8, on_device.data(), dense,
                                                   window_.data(), turned, window_));
    ESKER_RETURN_IF_ERROR(memory.finish());
    ESKER_RETURN_IF_ERROR(
        memory.start_to_device(back.data(), 8, window_.data(), turned, back.data(), dense, window_));
    ESKER_RETURN_IF_ERROR(memory.finish());
    back.read(box);
    return {};
  }

  std::vector<std::byte> bytes_ = std::vector<std::byte>(kBytes), window_ = bytes_, found_ = bytes_;
  int objects_before_ = 0;
};

TEST_F(HipDriverTest, IsFoundAndCopiesByTheKernel) {
  ASSERT_NE(Driver::find(), nullptr);
  const auto by_kernel = esker_double_kernel_bytes();
  DeviceMemory memory(*Driver::find());
  const Status copied = there_and_back(memory, found_.data());
  ASSERT_TRUE(copied.ok()) << copied.message();
  EXPECT_EQ(found_, bytes_);
  EXPECT_NE(window_, bytes_) << "x and z are exchanged";
  EXPECT_EQ(esker_double_kernel_bytes() - by_kernel, 2 * kBytes);
  EXPECT_EQ(memory.pinned_bytes(), kBytes);
  EXPECT_EQ(memory.why_without_kernel(), "");
}

// HIP would register it again, and to unregister it would take it from its owner.
TEST_F(HipDriverTest, UsesMemoryThatIsPinnedAlready) {
  CudaOfTests::get().call("hipHostRegister", static_cast<void*>(window_.data()), window_.size(), 0U);
  {
    DeviceMemory memory(*Driver::find());
    ASSERT_TRUE(there_and_back(memory, found_.data()).ok());
    EXPECT_EQ(found_, bytes_);
    EXPECT_EQ(memory.pinned_bytes(), 0);
    EXPECT_EQ(memory.why_without_kernel(), "");
  }
  CudaOfTests::get().call("hipHostUnregister", static_cast<void*>(window_.data()));
}

TEST_F(HipDriverTest, TellsWhereMemoryIs) {
  const DeviceBytes on_device(bytes_);
  EXPECT_EQ(DeviceMemory::access_to(on_device.data() + 17).value(), Access::kDevice);
  EXPECT_EQ(DeviceMemory::access_to(bytes_.data()).value(), Access::kHost);
  EXPECT_EQ(DeviceMemory::access_to(nullptr).value(), Access::kHost);
  CudaOfTests::get().call("hipHostRegister", static_cast<void*>(window_.data()), window_.size(), 0U);
  EXPECT_EQ(DeviceMemory::access_to(window_.data()).value(), Access::kBoth);
  CudaOfTests::get().call("hipHostUnregister", static_cast<void*>(window_.data()));
}

TEST_F(HipDriverTest, WaitsForStreams) {
  void* stream = nullptr;
  CudaOfTests::get().call("hipStreamCreateWithFlags", &stream, 0U);
  for (void* const of_program : {stream, static_cast<void*>(nullptr)}) {
    const DeviceBytes on_device(bytes_);
    DeviceMemory memory(*Driver::find());
    esker_double_fill_later(of_program, reinterpret_cast<std::uintptr_t>(on_device.data()), bytes_.size(),
                            0x5a);
    ASSERT_TRUE(memory.wait_for(on_device.data(), of_program).ok());
    const SampleMap map = SampleMap::dense(kBox, 8);
    ASSERT_TRUE(
        memory.start_from_device(on_device.data(), 8, on_device.data(), map, window_.data(), map, window_)
            .ok());
    ASSERT_TRUE(memory.finish().ok());
    EXPECT_EQ(window_, std::vector<std::byte>(bytes_.size(), std::byte{0x5a}));
  }
  CudaOfTests::get().call("hipStreamDestroy", stream);
}

TEST_F(HipDriverTest, CopiesBoxesIfTheKernelCannotBeCompiled) {
  esker_double_fail("cuModuleLoadData", 0, 222);
  const auto by_copies = esker_double_copy_bytes();
  DeviceMemory memory(*Driver::find());
  ASSERT_TRUE(there_and_back(memory, found_.data()).ok());
  EXPECT_EQ(found_, bytes_);
  EXPECT_EQ(esker_double_copy_bytes() - by_copies, 2 * kBytes);
  EXPECT_NE(memory.why_without_kernel().find("HIP's counterpart of cuModuleLoadData"), std::string::npos);
}

TEST_F(HipDriverTest, KnowsTheLegacyStreamByBothNames) {
  const DeviceBytes on_device(bytes_);
  DeviceMemory memory(*Driver::find());
  void* const legacy = reinterpret_cast<void*>(std::uintptr_t{1});
  EXPECT_TRUE(memory.wait_for(on_device.data(), legacy).ok());
  EXPECT_TRUE(DeviceMemory::finish_stream(on_device.data(), legacy).ok());
}

// The first test of a device: what was compiled is kept.
TEST_F(HipDriverTest, AnErrorOfTheCompilerIsTold) {
  if (std::getenv("ESKER_TEST_FAILING_COMPILER") == nullptr) GTEST_SKIP() << "in a process for itself";
  auto* const fail = reinterpret_cast<void (*)(int)>(
      ::dlsym(::dlopen("libhiprtc.so.6", RTLD_NOW), "esker_double_fail_compiler"));
  ASSERT_NE(fail, nullptr);
  fail(1);
  const auto by_copies = esker_double_copy_bytes();
  DeviceMemory memory(*Driver::find());
  ASSERT_TRUE(there_and_back(memory, found_.data()).ok());
  EXPECT_EQ(found_, bytes_);
  EXPECT_EQ(esker_double_copy_bytes() - by_copies, 2 * kBytes);
  EXPECT_NE(memory.why_without_kernel().find("error: as the test wants"), std::string::npos)
      << memory.why_without_kernel();
}

TEST_F(HipDriverTest, ErrorsNameTheCall) {
  for (const char* const call : {"cuStreamCreate", "cuLaunchKernel", "cuStreamSynchronize"}) {
    esker_double_fail(call, 0, 700);
    DeviceMemory memory(*Driver::find());
    const Status status = there_and_back(memory, found_.data());
    EXPECT_EQ(status.code(), Code::kIoError) << call;
    EXPECT_NE(status.message().find(std::string("HIP's counterpart of ") + call + ": "), std::string::npos)
        << status.message();
  }
}

}  // namespace
}  // namespace esker::device
