// The tests' double of the CUDA driver: what it refuses, as a driver does.
#include "support/cuda/double.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/cuda/example_kernels.h"
#include "support/cuda/results.h"
#include "support/device_context.h"

namespace esker::cuda_double {
namespace {

using testing_support::CudaOfTests;
using testing_support::DeviceBytes;
using testing_support::DeviceContext;
using testing_support::result_of;
using Address = unsigned long long;

/// The kernel `saxpy` in the primary context of device 0, which is current.
class DoubleTest : public testing::Test {
 protected:
  void SetUp() override {
    CudaOfTests::get();
    objects_before_ = esker_double_num_objects();
    ASSERT_EQ(result_of("cuDevicePrimaryCtxRetain", &context_, 0), 0);
    ASSERT_EQ(result_of("cuCtxPushCurrent_v2", context_), 0);
    ASSERT_EQ(result_of("cuModuleLoadData", &module_, static_cast<const void*>(kExampleKernels)), 0);
    ASSERT_EQ(result_of("cuModuleGetFunction", &saxpy_, module_, "saxpy"), 0);
  }
  void TearDown() override {
    EXPECT_EQ(result_of("cuModuleUnload", module_), 0);
    EXPECT_EQ(result_of("cuCtxPopCurrent_v2", &context_), 0);
    EXPECT_EQ(result_of("cuDevicePrimaryCtxRelease_v2", 0), 0);
    EXPECT_EQ(esker_double_num_objects(), objects_before_);
  }

  /// y += 2 x, of `num` numbers, in the legacy stream.
  int launch(const DeviceBytes& x, const DeviceBytes& y, int num, std::array<unsigned, 3> blocks,
             std::array<unsigned, 3> threads) {
    double a = 2;
    const void *from = x.data(), *to = y.data();
    std::array<void*, 4> parameters{&num, &a, static_cast<void*>(&from), static_cast<void*>(&to)};
    return result_of("cuLaunchKernel", saxpy_, blocks[0], blocks[1], blocks[2], threads[0], threads[1],
                     threads[2], 0U, static_cast<void*>(nullptr), parameters.data(),
                     static_cast<void**>(nullptr));
  }
  static int synchronize() { return result_of("cuStreamSynchronize", static_cast<void*>(nullptr)); }

  void *context_ = nullptr, *module_ = nullptr, *saxpy_ = nullptr;
  int objects_before_ = 0;
};

// The parameters are copied at the launch, the work is done later.
TEST_F(DoubleTest, RunsTheProgramsKernels) {
  const std::vector<double> ones(10, 1);
  const DeviceBytes x{std::as_bytes(std::span(ones))}, y{std::as_bytes(std::span(ones))};
  const auto stored = esker_double_kernel_bytes();
  ASSERT_EQ(launch(x, y, 10, {3, 1, 1}, {4, 1, 1}), 0);
  EXPECT_EQ(esker_double_kernel_bytes(), stored);
  EXPECT_EQ(synchronize(), 0);
  EXPECT_EQ(esker_double_kernel_bytes(), stored + 80);
  std::vector<double> found(10);
  y.read(reinterpret_cast<std::byte*>(found.data()));
  EXPECT_EQ(found, std::vector<double>(10, 3));
}

TEST_F(DoubleTest, RefusesLaunchesThatNoGpuHas) {
  const std::vector<double> ones(10, 1);
  const DeviceBytes x{std::as_bytes(std::span(ones))};
  const std::vector<std::array<std::array<unsigned, 3>, 2>> wrong{
      {{{1, 1, 1}, {1025, 1, 1}}}, {{{1, 1, 1}, {32, 33, 1}}},   {{{1, 1, 1}, {1, 1, 65}}},
      {{{0, 1, 1}, {1, 1, 1}}},    {{{1, 65536, 1}, {1, 1, 1}}}, {{{1, 1, 1}, {1, 0, 1}}}};
  for (const auto& [blocks, threads] : wrong) EXPECT_EQ(launch(x, x, 10, blocks, threads), kInvalidValue);
  EXPECT_EQ(launch(x, x, 10, {1, 1, 1}, {32, 32, 1}), 0);
  EXPECT_EQ(synchronize(), 0);
}

TEST_F(DoubleTest, SaysWhyATextIsNotValid) {
  void* module = nullptr;
  const char* text = nullptr;
  EXPECT_EQ(
      result_of("cuModuleLoadData", &module,
                static_cast<const void*>(".version 6.0\n.target sm_50\n.entry f() {\nbar.sync 0;\n}\n")),
      kInvalidPtx);
  EXPECT_EQ(result_of("cuGetErrorString", kInvalidPtx, &text), 0);
  EXPECT_STREQ(text, "line 4: unknown instruction 'bar.sync'");
  void* function = nullptr;
  EXPECT_EQ(result_of("cuModuleGetFunction", &function, module_, "stencil"), 0);
  EXPECT_EQ(result_of("cuModuleGetFunction", &function, module_, "nothing"), kNotFound);
}

TEST_F(DoubleTest, HasTwoDevices) {
  int count = 0, device = -1, is_active = -1;
  unsigned flags = 0;
  EXPECT_EQ(result_of("cuDeviceGetCount", &count), 0);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(result_of("cuDeviceGet", &device, 1), 0);
  EXPECT_EQ(result_of("cuDeviceGet", &device, 2), kInvalidDevice);
  EXPECT_EQ(result_of("cuDevicePrimaryCtxGetState", 1, &flags, &is_active), 0);
  EXPECT_EQ(is_active, 0);
  const DeviceContext context(1);
  EXPECT_EQ(context.call("cuCtxGetDevice", &device), 0);
  EXPECT_EQ(device, 1);
}

TEST_F(DoubleTest, HandlesBelongToContexts) {
  DeviceContext other(1);
  void *stream = nullptr, *event = nullptr, *here = nullptr, *context = nullptr, *function = nullptr;
  ASSERT_EQ(other.call("cuStreamCreate", &stream, 0U), 0);
  ASSERT_EQ(other.call("cuEventCreate", &event, 0U), 0);
  ASSERT_EQ(result_of("cuStreamCreate", &here, 0U), 0);
  EXPECT_EQ(result_of("cuStreamSynchronize", stream), kInvalidHandle);
  EXPECT_EQ(result_of("cuEventRecord", event, here), kInvalidHandle);
  EXPECT_EQ(result_of("cuEventRecord", event, stream), kInvalidHandle);
  EXPECT_EQ(other.call("cuEventRecord", event, stream), 0);
  EXPECT_EQ(result_of("cuStreamWaitEvent", here, event, 0U), 0) << "across contexts";
  EXPECT_EQ(result_of("cuStreamWaitEvent", stream, event, 0U), kInvalidHandle);
  EXPECT_EQ(result_of("cuStreamGetCtx", stream, &context), 0);
  EXPECT_EQ(context, other.handle());
  EXPECT_EQ(other.call("cuModuleGetFunction", &function, module_, "saxpy"), kInvalidHandle);
  EXPECT_EQ(result_of("cuStreamDestroy_v2", here), 0);
  EXPECT_EQ(result_of("cuStreamDestroy_v2", here), kInvalidHandle) << "destroyed twice";
  void* const handle = other.handle();
  other.destroy();
  EXPECT_EQ(result_of("cuCtxPushCurrent_v2", handle), kContextIsDestroyed);
  EXPECT_EQ(result_of("cuStreamGetCtx", stream, &context), kInvalidHandle);
}

// The error remains: the context can only be destroyed.
TEST_F(DoubleTest, KernelsAccessMemoryOfTheirContext) {
  const std::vector<double> ones(10, 1);
  const DeviceBytes x{std::as_bytes(std::span(ones))};
  DeviceContext other(1);
  void *module = nullptr, *function = nullptr, *nothing = nullptr;
  ASSERT_EQ(other.call("cuModuleLoadData", &module, static_cast<const void*>(kExampleKernels)), 0);
  ASSERT_EQ(other.call("cuModuleGetFunction", &function, module, "saxpy"), 0);
  int num = 10;
  double a = 2;
  const void* from = x.data();
  std::array<void*, 4> parameters{&num, &a, static_cast<void*>(&from), static_cast<void*>(&from)};
  EXPECT_EQ(other.call("cuLaunchKernel", function, 1U, 1U, 1U, 32U, 1U, 1U, 0U, nothing, parameters.data(),
                       static_cast<void**>(nullptr)),
            0);
  EXPECT_EQ(other.call("cuStreamSynchronize", nothing), kIllegalAddress);
  EXPECT_EQ(other.call("cuStreamCreate", &nothing, 0U), kIllegalAddress);
  EXPECT_EQ(synchronize(), 0) << "of the current context";
}

TEST_F(DoubleTest, CopiesAccessMemoryOfTheirContext) {
  const std::vector<double> ones(10, 1);
  std::vector<double> found(10);
  const DeviceBytes x{std::as_bytes(std::span(ones))};
  const auto address = static_cast<Address>(reinterpret_cast<std::uintptr_t>(x.data()));
  const DeviceContext other(1);
  EXPECT_EQ(other.call("cuMemcpyDtoH_v2", static_cast<void*>(found.data()), address, x.size()),
            kInvalidValue);
  EXPECT_EQ(result_of("cuMemcpyDtoH_v2", static_cast<void*>(found.data()), address, x.size() + 8),
            kInvalidValue);
  EXPECT_EQ(result_of("cuMemcpyDtoH_v2", static_cast<void*>(found.data()), address, x.size()), 0);
  EXPECT_EQ(found, ones);
}

TEST_F(DoubleTest, PortableMemoryIsPinnedForAllContexts) {
  std::vector<double> memory(10);
  const DeviceContext other(1);
  for (const unsigned flags : {0U, 1U}) {
    Address here = 0, there = 0;
    auto* const first = static_cast<void*>(memory.data());
    ASSERT_EQ(result_of("cuMemHostRegister_v2", first, std::size_t{80}, flags), 0);
    EXPECT_EQ(other.call("cuMemHostRegister_v2", first, std::size_t{80}, flags), kAlreadyRegistered);
    EXPECT_EQ(result_of("cuMemHostGetDevicePointer_v2", &here, first, 0U), 0);
    EXPECT_EQ(other.call("cuMemHostGetDevicePointer_v2", &there, first, 0U), flags == 1 ? 0 : kInvalidValue);
    EXPECT_NE(here, there);
    EXPECT_EQ(result_of("cuMemHostUnregister", first), 0);
  }
}

// The legacy stream is ordered with blocking streams, and with no others.
TEST_F(DoubleTest, TheLegacyStreamWaitsForBlockingStreams) {
  const std::vector<double> zeros(1);
  const DeviceBytes memory{std::as_bytes(std::span(zeros))};
  const auto address = static_cast<Address>(reinterpret_cast<std::uintptr_t>(memory.data()));
  for (const unsigned flags : {0U, 1U}) {
    void* stream = nullptr;
    ASSERT_EQ(result_of("cuStreamCreate", &stream, flags), 0);
    esker_double_fill_later(stream, address, 8, 4 + static_cast<int>(flags));
    EXPECT_EQ(synchronize(), 0);
    std::array<unsigned char, 8> found{};
    memory.read(reinterpret_cast<std::byte*>(found.data()));
    EXPECT_EQ(found[0], 4) << flags;
    EXPECT_EQ(result_of("cuStreamDestroy_v2", stream), 0);
  }
}

}  // namespace
}  // namespace esker::cuda_double
