// Kernels in PTX as the double of the CUDA driver runs them: what they compute, and what it refuses.
#include "support/cuda/ptx.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "device/copy_kernel.h"
#include "support/cuda/example_kernels.h"
#include "support/cuda/results.h"

namespace esker::cuda_double {
namespace {

using Address = unsigned long long;
constexpr Address kFirst = 0x7000;

const std::string kHeader = ".version 6.0\n.target sm_50\n.address_size 64\n";

/// An entry with registers of all types, and a pointer as its parameter, in %rd0.
std::string entry_of(const std::string& statements) {
  return kHeader +
         ".visible .entry run(\n.param .u64 p0\n)\n{\n.reg .pred %p<4>; .reg .b16 %rs<9>; .reg .b32 %r<9>;\n"
         ".reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\nld.param.u64 %rd0, [p0];\n" +
         statements + "\nret;\n}\n";
}

template <class T>
void append(Launch& launch, T value) {
  const std::size_t begin = (launch.parameters.size() + sizeof value - 1) / sizeof value * sizeof value;
  launch.parameters.resize(begin + sizeof value);
  std::memcpy(launch.parameters.data() + begin, &value, sizeof value);
}

/// Memory from kFirst on.
class PtxTest : public testing::Test {
 protected:
  LaunchResult run(const Kernel& kernel, const Launch& launch) {
    return run_kernel(kernel, launch, [&](Address first, std::size_t bytes) {
      const bool is_inside =
          first >= kFirst && first - kFirst <= sizeof memory_ && bytes <= sizeof memory_ - (first - kFirst);
      return is_inside ? MemoryRange{kFirst, sizeof memory_, memory_} : MemoryRange{};
    });
  }
  LaunchResult run(const std::string& text, Launch launch = {}) {
    const PtxModule module = decode_ptx(text);
    EXPECT_EQ(module.error, "") << text;
    if (module.kernels.empty()) return {-1, 0};
    if (launch.parameters.empty()) append(launch, kFirst);
    return run(module.kernels.front(), launch);
  }
  /// What the statements leave in a register.
  template <class T>
  T value_of(const std::string& statements, const std::string& register_name) {
    const std::string type = std::is_floating_point_v<T> ? ".f" : ".u";
    EXPECT_EQ(run(entry_of(statements + "\nst.global" + type + std::to_string(8 * sizeof(T)) + " [%rd0], " +
                           register_name + ";"))
                  .result,
              0);
    return at<T>(0);
  }
  template <class T>
  [[nodiscard]] T at(std::size_t offset) const {
    T value;
    std::memcpy(&value, memory_ + offset, sizeof value);
    return value;
  }
  template <class T>
  void set(std::size_t offset, T value) {
    std::memcpy(memory_ + offset, &value, sizeof value);
  }

  alignas(16) std::byte memory_[4096] = {};
};

TEST_F(PtxTest, RunsSaxpyInBlocks) {
  const PtxModule module = decode_ptx(kExampleKernels);
  ASSERT_EQ(module.error, "");
  ASSERT_EQ(module.kernels.size(), 2U);
  const Kernel& saxpy = module.kernels[0];
  EXPECT_EQ(saxpy.name, "saxpy");
  EXPECT_EQ(saxpy.parameter_bytes, 32U);
  ASSERT_EQ(saxpy.parameters.size(), 4U);
  EXPECT_EQ(saxpy.parameters[1].offset, 8U);
  constexpr int kNum = 37;
  for (std::size_t i = 0; i < 40; ++i) {
    set(8 * i, static_cast<double>(i));
    set(1024 + 8 * i, 0.25);
  }
  Launch launch{{5, 1, 1}, {8, 1, 1}, {}};
  append(launch, kNum);
  append(launch, 3.0);
  append(launch, kFirst);
  append(launch, kFirst + 1024);
  const LaunchResult result = run(saxpy, launch);
  EXPECT_EQ(result.result, 0);
  EXPECT_EQ(result.stored_bytes, 8ULL * kNum);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(at<double>(1024 + 8 * i), i < kNum ? 3.0 * static_cast<double>(i) + 0.25 : 0.25);
  }
}

TEST_F(PtxTest, RunsAStencilInTwoDimensions) {
  constexpr int kX = 11, kY = 7;
  constexpr double kStep = 0.125;
  std::vector<double> from(kX * kY), expected;
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i * i % 31);
  std::memcpy(memory_, from.data(), 8 * from.size());
  expected = from;
  for (std::size_t y = 1; y + 1 < kY; ++y) {
    for (std::size_t x = 1; x + 1 < kX; ++x) {
      const std::size_t at = x + kX * y;
      expected[at] += kStep * (from[at - 1] + from[at + 1] + from[at - kX] + from[at + kX] - 4 * from[at]);
    }
  }
  Launch launch{{3, 4, 1}, {4, 2, 1}, {}};
  append(launch, kFirst);
  append(launch, kFirst + 1024);
  append(launch, kX);
  append(launch, kY);
  append(launch, kStep);
  EXPECT_EQ(run(decode_ptx(kExampleKernels).kernels[1], launch).result, 0);
  for (std::size_t i = 0; i < from.size(); ++i) EXPECT_EQ(at<double>(1024 + 8 * i), expected[i]) << i;
}

TEST_F(PtxTest, NumbersThreadsAndBlocks) {
  const std::string text = entry_of(
      "mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y;\n"
      "mad.lo.s32 %r1, %r1, %r2, %r3;\n"
      "mov.u32 %r2, %ntid.z; mov.u32 %r3, %tid.z; mad.lo.s32 %r1, %r1, %r2, %r3;\n"
      "mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r1, %r1, %r2, %r3;\n"
      "mul.wide.u32 %rd1, %r1, 4; add.s64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r1;");
  EXPECT_EQ(run(text, {{1, 3, 2}, {4, 1, 5}, {}}).stored_bytes, 4ULL * 6 * 20);
  for (unsigned i = 0; i < 120; ++i) EXPECT_EQ(at<unsigned>(std::size_t{4} * i), i);
}

TEST_F(PtxTest, ComputesWithIntegers) {
  const auto u32 = [&](const std::string& statement) { return value_of<unsigned>(statement, "%r0"); };
  const auto u64 = [&](const std::string& statement) { return value_of<std::uint64_t>(statement, "%rd1"); };
  EXPECT_EQ(u32("mov.u32 %r1, 7; sub.s32 %r0, %r1, 9;"), -2U);
  EXPECT_EQ(u32("mov.u32 %r1, -7; div.s32 %r0, %r1, 2;"), -3U);
  EXPECT_EQ(u32("mov.u32 %r1, -7; div.u32 %r0, %r1, 2;"), 0x7ffffffcU);
  EXPECT_EQ(u32("mov.u32 %r1, -7; rem.s32 %r0, %r1, 4;"), -3U);
  EXPECT_EQ(u32("mov.u32 %r1, 7; mov.u32 %r2, 0; div.s32 %r0, %r1, %r2; mov.u32 %r0, 5;"), 5U);
  EXPECT_EQ(u32("mov.u32 %r1, 0x80000000; div.s32 %r0, %r1, -1; mov.u32 %r0, 6;"), 6U);
  EXPECT_EQ(u32("mov.u32 %r1, -7; min.s32 %r0, %r1, 4;"), -7U);
  EXPECT_EQ(u32("mov.u32 %r1, -7; max.u32 %r0, %r1, 4;"), -7U);
  EXPECT_EQ(u32("mov.u32 %r1, -16; shr.s32 %r0, %r1, 2;"), -4U);
  EXPECT_EQ(u32("mov.u32 %r1, -16; shr.u32 %r0, %r1, 2;"), 0x3ffffffcU);
  EXPECT_EQ(u32("mov.u32 %r1, 3; shl.b32 %r0, %r1, 32;"), 0U) << "shifts have limits";
  EXPECT_EQ(u32("mov.u32 %r1, 0xf0; xor.b32 %r2, %r1, 255; not.b32 %r0, %r2;"), ~0x0fU);
  EXPECT_EQ(u32("mov.u32 %r1, 6; neg.s32 %r0, %r1;"), -6U);
  EXPECT_EQ(u64("mov.u32 %r1, -2; mul.wide.s32 %rd1, %r1, 3;"), std::uint64_t{0} - 6);
  EXPECT_EQ(u64("mov.u32 %r1, -2; mul.wide.u32 %rd1, %r1, 3;"), 0x2fffffffaU);
  EXPECT_EQ(u64("mov.u64 %rd2, -2; mul.hi.u64 %rd1, %rd2, 4;"), 3U);
  EXPECT_EQ(u64("mov.u64 %rd2, 5; mad.lo.s64 %rd1, %rd2, %rd2, -1;"), 24U);
  EXPECT_EQ(u64("mov.u64 %rd2, 1; shl.b64 %rd1, %rd2, 40;"), std::uint64_t{1} << 40);
}

TEST_F(PtxTest, ComputesWithFloatingPointNumbers) {
  const auto f64 = [&](const std::string& statement) { return value_of<double>(statement, "%fd0"); };
  const std::string numbers =
      "mov.f64 %fd1, 0d4008000000000000; mov.f64 %fd2, 0d3FE0000000000000;\n";  // 3, 0.5
  EXPECT_EQ(f64(numbers + "add.f64 %fd0, %fd1, %fd2;"), 3.5);
  EXPECT_EQ(f64(numbers + "sub.rn.f64 %fd0, %fd1, %fd2;"), 2.5);
  EXPECT_EQ(f64(numbers + "div.rn.f64 %fd0, %fd1, %fd2;"), 6);
  EXPECT_EQ(f64(numbers + "fma.rn.f64 %fd0, %fd1, %fd2, %fd2;"), 2);
  EXPECT_EQ(f64(numbers + "neg.f64 %fd3, %fd1; min.f64 %fd0, %fd3, %fd2;"), -3);
  EXPECT_EQ(f64(numbers + "sqrt.rn.f64 %fd0, %fd1;"), std::sqrt(3.0));
  EXPECT_EQ(value_of<float>("mov.f32 %f1, 0f40400000; mul.f32 %f0, %f1, %f1;", "%f0"), 9.0F);
  const std::string compare = "mov.u32 %r0, 0; @%p1 add.s32 %r0, %r0, 1; @!%p1 add.s32 %r0, %r0, 2;";
  const std::string with_nan = numbers + "mov.f64 %fd3, 0d7FF8000000000000;\n";
  EXPECT_EQ(value_of<unsigned>(with_nan + "setp.lt.f64 %p1, %fd1, %fd2;" + compare, "%r0"), 2U);
  EXPECT_EQ(value_of<unsigned>(with_nan + "setp.ne.f64 %p1, %fd1, %fd3;" + compare, "%r0"), 2U);
  EXPECT_EQ(value_of<unsigned>(with_nan + "setp.neu.f64 %p1, %fd1, %fd3;" + compare, "%r0"), 1U);
  EXPECT_EQ(value_of<unsigned>(with_nan + "setp.geu.f64 %p1, %fd1, %fd3;" + compare, "%r0"), 1U);
}

TEST_F(PtxTest, ConvertsNumbers) {
  EXPECT_EQ(value_of<double>("mov.u32 %r1, -3; cvt.rn.f64.s32 %fd0, %r1;", "%fd0"), -3);
  EXPECT_EQ(value_of<std::uint64_t>("mov.u32 %r1, -3; cvt.s64.s32 %rd1, %r1;", "%rd1"), std::uint64_t{0} - 3);
  EXPECT_EQ(value_of<std::uint64_t>("mov.u32 %r1, -3; cvt.u64.u32 %rd1, %r1;", "%rd1"), 0xfffffffdU);
  EXPECT_EQ(value_of<unsigned>("mov.u64 %rd1, 0x1234567890; cvt.u32.u64 %r1, %rd1;", "%r1"), 0x34567890U);
  EXPECT_EQ(value_of<unsigned>("mov.u32 %r1, 0x1ff; cvt.s32.s8 %r2, %r1;", "%r2"), -1U);
  const std::string large = "mov.f64 %fd1, 0dC202A05F20000000;";  // -1e10
  EXPECT_EQ(value_of<unsigned>(large + "cvt.rzi.s32.f64 %r1, %fd1;", "%r1"), 0x80000000U);
  EXPECT_EQ(value_of<unsigned>(large + "cvt.rzi.u32.f64 %r1, %fd1;", "%r1"), 0U);
  EXPECT_EQ(
      value_of<double>("mov.f32 %f1, 0f3FA00000; cvt.f64.f32 %fd1, %f1; cvt.rpi.f64.f64 %fd0, %fd1;", "%fd0"),
      2);
}

TEST_F(PtxTest, LoadsAndStoresVectorsAndSmallNumbers) {
  std::iota(reinterpret_cast<unsigned char*>(memory_), reinterpret_cast<unsigned char*>(memory_) + 64, 0xf0);
  const std::string text = entry_of(
      "cvta.to.global.u64 %rd1, %rd0;\n"
      "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+16];\nst.v4.u32 [%rd1+64], {%r4, %r3, %r2, %r1};\n"
      "ld.v2.f64 {%fd1, %fd2}, [%rd1]; st.global.v2.f64 [%rd1+80], {%fd2, %fd1};\n"
      "ld.global.s8 %r1, [%rd1+1]; st.global.u32 [%rd1+96], %r1;\n"
      "ld.global.u8 %rs1, [%rd1+1]; st.global.u16 [%rd1+100], %rs1;");
  EXPECT_EQ(run(text).stored_bytes, 16U + 16 + 4 + 2);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(at<unsigned>(64 + 4 * i), at<unsigned>(28 - 4 * i));
  EXPECT_EQ(at<std::uint64_t>(80), at<std::uint64_t>(8));
  EXPECT_EQ(at<int>(96), static_cast<signed char>(0xf1));
  EXPECT_EQ(at<std::uint16_t>(100), 0xf1);
}

// A loop, and a parameter that is found by its address, as clang has them.
TEST_F(PtxTest, ReadsParametersAtAddresses) {
  const std::string text =
      kHeader +
      ".visible .entry run(\n.param .align 8 .b8 p0[24],\n.param .u32 p1\n)\n{\n"
      ".reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<6>;\n"
      "mov.b64 %rd1, p0; ld.param.u64 %rd2, [%rd1]; ld.param.u32 %r1, [p1];\n"
      "add.s64 %rd3, %rd1, 8; mov.u64 %rd4, 0;\n"
      "LOOP:\nld.param.u64 %rd5, [%rd3]; add.s64 %rd4, %rd4, %rd5; add.s64 %rd3, %rd3, 8;\n"
      "add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra LOOP;\n"
      "st.u64 [%rd2], %rd4; ret;\n}\n";
  Launch launch;
  append(launch, kFirst);
  append(launch, std::uint64_t{40});
  append(launch, std::uint64_t{2});
  append(launch, 2);
  EXPECT_EQ(run(text, launch).result, 0);
  EXPECT_EQ(at<std::uint64_t>(0), 42U);
  launch.parameters.back() = std::byte{1};
  EXPECT_EQ(run(text, launch).result, kIllegalAddress) << "a loop past the parameters";
}

TEST_F(PtxTest, RegistersHaveNoValueAtFirst) {
  EXPECT_EQ(value_of<std::uint64_t>("", "%rd7"), 0xccccccccccccccccU);
}

TEST_F(PtxTest, ChecksAddresses) {
  const auto result_of = [&](const std::string& statement) { return run(entry_of(statement)).result; };
  EXPECT_EQ(result_of("ld.global.u64 %rd1, [%rd0+4088];"), 0);
  EXPECT_EQ(result_of("ld.global.u64 %rd1, [%rd0+4096];"), kIllegalAddress);
  EXPECT_EQ(result_of("ld.global.u64 %rd1, [%rd0+-8];"), kIllegalAddress);
  EXPECT_EQ(result_of("st.global.u64 [%rd0+4], %rd1;"), kMisalignedAddress);
  EXPECT_EQ(result_of("ld.global.v2.u64 {%rd1, %rd2}, [%rd0+8];"), kMisalignedAddress);
  EXPECT_EQ(result_of("mov.u64 %rd1, 0; st.u8 [%rd1], %rs1;"), kIllegalAddress);
}

TEST_F(PtxTest, RefusesWhatItDoesNotKnow) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {entry_of("bar.sync 0;"), "line 11: unknown instruction 'bar.sync'"},
      {entry_of("add.f32 %fd0, %fd1, %fd2;"), "line 11: register '%fd0' is .f64, expected .f32"},
      {entry_of("add.s64 %rd0, %r1, 3;"), "line 11: register '%r1' is .b32, expected .s64"},
      {entry_of("add.s32 %r0, %r1, %r99;"), "line 11: no register '%r99'"},
      {entry_of("add.s32 %r0, %r1, 0f3F800000;"),
       "line 11: '0f3F800000' is no number of the instruction's type"},
      {entry_of("add.s32 %r0, %r1"), "line 12: expected ',', found 'ret'"},
      {entry_of("@%p1 bra NOWHERE;"), "line 11: no label 'NOWHERE'"},
      {entry_of(".shared .align 8 .b8 s[64];"), "line 11: unknown instruction '.shared'"},
      {entry_of("mov.u32 %r1, %laneid;"), "line 11: no register '%laneid'"},
      {kHeader + ".global .u32 g;", "line 4: expected '.entry', found '.global'"},
      {"int main() {}", "line 1: expected '.version', found 'int'"},
      {"", "line 1: expected '.version', found ''"},
      {kHeader + ".visible .entry run()\n{ret;", "line 5: the text ends too early"}};
  for (const auto& [text, error] : wrong) {
    const PtxModule module = decode_ptx(text);
    EXPECT_EQ(module.error, error);
    EXPECT_TRUE(module.kernels.empty());
  }
}

TEST_F(PtxTest, KnowsTheCopyKernel) {
  const PtxModule module = decode_ptx(device::kCopyKernelPtx);
  EXPECT_EQ(module.error, "");
  ASSERT_EQ(module.kernels.size(), 1U);
  EXPECT_EQ(module.kernels[0].parameter_bytes, 3456U);
  EXPECT_EQ(decode_ptx(kHeader + ".entry a() .maxntid 64, 2, 1 { ret; }").kernels.at(0).most_threads, 128U);
}

}  // namespace
}  // namespace esker::cuda_double
