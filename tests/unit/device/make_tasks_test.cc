// Tasks of the copy kernel, and boxes for the driver, make the same copies as copy_samples(). The kernel's
// PTX does, too.
#include "device/make_tasks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "device/copy_kernel.h"
#include "device/copy_units.h"
#include "grid/order.h"
#include "support/cuda/ptx.h"

namespace esker::device {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;

struct Sides {
  SampleMap from, to;
};

/// A box whose axes have strides in any order on both sides, or a piece in HZ order on one of them.
Sides random_sides(std::mt19937& random, Index element_bytes) {
  const auto up_to = [&](Index most) {
    return static_cast<Index>(random() % static_cast<unsigned>(most)) + 1;
  };
  Box box = Box::from_extent(3, {up_to(9), up_to(7), up_to(6)});
  const auto strides = [&] {
    std::array<int, 3> axes{0, 1, 2};
    std::shuffle(axes.begin(), axes.end(), random);
    std::array<Index, kMaxRank> stride{};
    Index next = element_bytes;
    for (const int a : axes) {
      stride[static_cast<std::size_t>(a)] = next;
      next *= box.extent(a) + static_cast<Index>(random() % 3);
    }
    return stride;
  };
  Sides sides{SampleMap::strided(box, strides()), SampleMap::strided(box, strides())};
  if (random() % 2 == 0) {
    const SampleOrder order{.rank = 3, .has_bits = true, .axes = {0b001001001001, 0b010010010, 0b100100100}};
    sides.to = SampleMap::ordered(box, order, element_bytes);
  }
  if (random() % 4 == 0) {
    sides.from.add_strided(3, 4096);
    sides.to.add_strided(3, Index{1} << 17);
  }
  return sides;
}

std::vector<std::byte> random_bytes(std::mt19937& random) {
  std::vector<std::byte> bytes(kBytes);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

unsigned long long address_of(const std::byte* memory) {
  return static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(memory));
}

/// What a copy of the sides leaves in memory of zeros.
template <class Copy>
std::vector<std::byte> target_of(const Copy& copy) {
  std::vector<std::byte> target(kBytes);
  copy(target.data());
  return target;
}

void run(const CopyTask& task) {
  ASSERT_GT(task.num_units, 0U);
  for (unsigned unit = 0; unit < task.num_units; ++unit) copy_unit(task, unit);
}

/// By the instructions that a GPU gets, in `blocks` of 32 threads.
void run_instructions(const CopyTask& task, unsigned blocks, const std::vector<std::byte>& source,
                      std::byte* target) {
  static const cuda_double::PtxModule module = cuda_double::decode_ptx(kCopyKernelPtx);
  cuda_double::Launch launch{{blocks, 1, 1}, {32, 1, 1}, std::vector<std::byte>(sizeof task)};
  std::memcpy(launch.parameters.data(), &task, sizeof task);
  const auto find = [&](unsigned long long first, std::size_t) {
    const bool is_source = first - address_of(source.data()) < kBytes;
    auto* const memory = is_source ? const_cast<std::byte*>(source.data()) : target;
    return cuda_double::MemoryRange{address_of(memory), kBytes, memory};
  };
  const cuda_double::LaunchResult result = cuda_double::run_kernel(module.kernels.at(0), launch, find);
  ASSERT_EQ(result.result, 0);
  ASSERT_EQ(result.stored_bytes, static_cast<unsigned long long>(task.num_units) * task.unit_bytes);
}

void run(const CopyBox& box, const std::byte* source, std::byte* target) {
  for (Index z = 0; z < box.planes; ++z) {
    for (Index y = 0; y < box.rows; ++y) {
      std::memcpy(target + box.to_bytes + (z * box.to_plane_rows + y) * box.to_pitch_bytes,
                  source + box.from_bytes + (z * box.from_plane_rows + y) * box.from_pitch_bytes,
                  static_cast<std::size_t>(box.row_bytes));
    }
  }
}

TEST(MakeTasks, CopiesAsCopySamples) {
  std::mt19937 random(1);
  const auto source = random_bytes(random);
  for (int trial = 0; trial < 300; ++trial) {
    const Index element_bytes = std::array<Index, 6>{1, 2, 4, 8, 12, 24}[random() % 6];
    const Sides sides = random_sides(random, element_bytes);
    const auto expected = target_of(
        [&](std::byte* target) { copy_samples(element_bytes, source.data(), sides.from, target, sides.to); });
    const auto by_tasks = target_of([&](std::byte* target) {
      for_each_task({element_bytes, address_of(source.data()), &sides.from, address_of(target), &sides.to},
                    [](const CopyTask& task) { run(task); });
    });
    ASSERT_EQ(by_tasks, expected) << "trial " << trial;
    const auto by_instructions = target_of([&](std::byte* target) {
      for_each_task({element_bytes, address_of(source.data()), &sides.from, address_of(target), &sides.to},
                    [&](const CopyTask& task) { run_instructions(task, 1 + random() % 5, source, target); });
    });
    ASSERT_EQ(by_instructions, expected) << "trial " << trial;
    const auto by_boxes = target_of([&](std::byte* target) {
      for_each_copy_box({element_bytes, 0, &sides.from, 0, &sides.to},
                        [&](const CopyBox& box) { run(box, source.data(), target); });
    });
    ASSERT_EQ(by_boxes, expected) << "trial " << trial;
  }
}

// The offsets of a plane of 512 x 512 in HZ order do not fit in a task.
TEST(MakeTasks, CutsWhatDoesNotFitInATask) {
  const Box box = Box::from_extent(2, {512, 512});
  std::array<Index, kMaxRank> strides{1, 512};
  const SampleMap from = SampleMap::strided(box, strides);
  const SampleOrder order{.rank = 2, .has_bits = true, .axes = {0x15555, 0x2aaaa}};
  const SampleMap to = SampleMap::ordered(box, order, 1);
  std::mt19937 random(2);
  const auto source = random_bytes(random);
  int num_tasks = 0;
  const auto by_tasks = target_of([&](std::byte* target) {
    for_each_task({1, address_of(source.data()), &from, address_of(target), &to}, [&](const CopyTask& task) {
      run(task);
      ++num_tasks;
    });
  });
  EXPECT_EQ(by_tasks,
            target_of([&](std::byte* target) { copy_samples(1, source.data(), from, target, to); }));
  EXPECT_GT(num_tasks, 1);
}

// 2^32 units are more than a task counts: the boundaries alone are looked at.
TEST(MakeTasks, CutsLargeCopies) {
  const Box box = Box::from_extent(2, {Index{1} << 16, Index{1} << 16});
  const SampleMap from = SampleMap::strided(box, {1, Index{1} << 17}), to = SampleMap::dense(box, 1);
  unsigned long long next = 0;
  for_each_task({1, 0, &from, 0, &to}, [&](const CopyTask& task) {
    EXPECT_EQ(task.to, next);
    next += static_cast<unsigned long long>(task.num_units) * task.unit_bytes;
  });
  EXPECT_EQ(next, 1ULL << 32);
}

TEST(MakeTasks, UsesWideUnitsForDenseRows) {
  const Box box = Box::from_extent(2, {16, 5});
  const SampleMap from = SampleMap::strided(box, {1, 32}), to = SampleMap::dense(box, 1);
  for_each_task({1, 64, &from, 128, &to}, [](const CopyTask& task) {
    EXPECT_EQ(task.unit_bytes, 8U);
    EXPECT_EQ(task.num_units, 10U);
  });
}

TEST(MakeTasks, EmptyCopiesHaveNone) {
  const Box box = Box::from_extent(2, {0, 5});
  const SampleMap map = SampleMap::dense(box, 4);
  for_each_task({4, 0, &map, 0, &map}, [](const CopyTask&) { FAIL(); });
  for_each_copy_box({4, 0, &map, 0, &map}, [](const CopyBox&) { FAIL(); });
}

}  // namespace
}  // namespace esker::device
