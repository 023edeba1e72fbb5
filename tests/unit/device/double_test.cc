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
#include "support/device_bytes.h"

namespace esker::cuda_double {
namespace {

using testing_support::CudaOfTests;
using testing_support::DeviceBytes;
using Address = unsigned long long;

/// The result of a function of the driver, in the current context.
template <class... Arguments>
int result_of(const char* name, Arguments... arguments) {
  return CudaOfTests::get().find<int(Arguments...)>(name)(arguments...);
}

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

}  // namespace
}  // namespace esker::cuda_double
