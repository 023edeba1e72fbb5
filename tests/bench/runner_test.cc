// The benchmark checks every value that it reads, by step and repetition, on every rank.
#include "runner.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>

#include "dropped_writes.h"
#include "file_descriptor.h"
#include "regular_parts.h"
#include "root_copy.h"
#include "simulations.h"
#include "support/mpi_fixture.h"

namespace bench {
namespace {

using esker::testing_support::MpiTest;

class RunnerTest : public MpiTest {
 protected:
  std::vector<Workload> workloads() {
    return {make_s3d(comm_.rank(), comm_.size(), {5, 4, 3}),
            make_s3d_adaptive(comm_.rank(), comm_.size(), {5, 4, 3}),
            make_icesheet(comm_.rank(), comm_.size(), {9, 8, 7}, IceSheetOrder::kXFastest),
            make_icesheet(comm_.rank(), comm_.size(), {9, 8, 7}, IceSheetOrder::kZFastest),
            make_ocean(comm_.rank(), comm_.size(), {9, 8, 7}),
            make_geodesic(comm_.rank(), comm_.size(), {4, 4, 3})};
  }
};

TEST_F(RunnerTest, CountsEveryWrongValue) {
  for (Workload& workload : workloads()) {
    workload.compute({1, 2});
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      FieldMemory& field = workload.fields[f];
      const int number = static_cast<int>(f);
      const Answer answer = like_memory(field, field.samples.data());
      EXPECT_EQ(count_bad(field, number, answer, {1, 2}), 0);
      EXPECT_EQ(count_bad(field, number, answer, {0, 2}), field.num_samples());
      EXPECT_EQ(count_bad(field, number, answer, {1, 1}), field.num_samples());
      EXPECT_EQ(count_bad(field, number + 1, answer, {1, 2}), field.num_samples());
      for (double& sample : field.samples) {
        sample += 1;
        ASSERT_EQ(count_bad(field, number, answer, {1, 2}), 1);
        sample -= 1;
      }
    }
  }
}

TEST_F(RunnerTest, SmoothValuesAreComparedWithinATolerance) {
  for (Workload& workload : workloads()) {
    for (FieldMemory& field : workload.fields) field.values = Values::kSmooth;
    workload.compute({1, 2});
    FieldMemory& field = workload.fields.front();
    const Answer answer = like_memory(field, field.samples.data());
    EXPECT_EQ(count_bad(field, 0, answer, {1, 2}), 0);
    if (field.samples.empty()) continue;
    EXPECT_GT(count_bad(field, 0, answer, {0, 2}), field.num_samples() / 2);
    field.samples.back() += 0.5;
    EXPECT_EQ(count_bad(field, 0, answer, {1, 2}, 0.4), 1);
    EXPECT_EQ(count_bad(field, 0, answer, {1, 2}, 0.6), 0);
  }
}

TEST_F(RunnerTest, SparseStepsMayLackOnlyWhatNoLevelKeeps) {
  Workload workload = make_s3d_adaptive(comm_.rank(), comm_.size(), {16, 8, 32});
  const Salt salt{1, 2};
  workload.compute(salt);
  const int flame = workload.flame();
  ASSERT_EQ(workload.fields[static_cast<std::size_t>(flame)].name, "temperature");
  const std::vector<double> temperature = workload.fields[static_cast<std::size_t>(flame)].samples;
  const std::vector<KeptAbove> kept{{0, 1200}, {3}};
  for (std::size_t f = 0; f < workload.fields.size(); ++f) {
    FieldMemory& field = workload.fields[f];
    const auto number = static_cast<int>(f);
    const Answer answer = like_memory(field, field.samples.data());
    EXPECT_EQ(count_lacking(workload, number, answer, kept, salt), 0);
    Index must_hold = 0;
    for (std::size_t i = 0; i < field.samples.size(); ++i) {
      const std::size_t place = i % temperature.size();
      const Index x = static_cast<Index>(place) % 16, y = static_cast<Index>(place) / 16 % 8,
                  z = static_cast<Index>(place) / (16 * 8);
      must_hold += (temperature[place] >= 1200 ? 1 : 0) + (x % 2 == 0 && y % 2 == 0 && z % 2 == 0 ? 1 : 0);
      field.samples[i] = std::numeric_limits<double>::quiet_NaN();
    }
    EXPECT_EQ(count_lacking(workload, number, answer, kept, salt), must_hold);
    EXPECT_EQ(count_bad(field, number, answer, salt), field.num_samples());
    EXPECT_EQ(count_bad(field, number, answer, salt, 0, true), 0);
    field.samples.front() = -1;
    EXPECT_EQ(count_bad(field, number, answer, salt, 0, true), 1);
  }
}

TEST_F(RunnerTest, TheRanksHoldEachSampleOnce) {
  for (const Workload& workload : workloads()) {
    Index bytes = workload.bytes_of_rank();
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(bytes, workload.data_bytes);
  }
}

TEST_F(RunnerTest, PartsAreChunksIfTheyBeginAtMultiplesOfTheLargest) {
  const auto blocks = regular_extents(MPI_COMM_WORLD, make_s3d(comm_.rank(), comm_.size(), {5, 4, 3}));
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocks->front(), (Point{5, 4, 3, 1, 1}));
  const auto pieces = regular_extents(MPI_COMM_WORLD, make_geodesic(comm_.rank(), comm_.size(), {4, 4, 3}));
  ASSERT_TRUE(pieces);
  EXPECT_EQ(pieces->front(), (Point{3, (162 + comm_.size() - 1) / comm_.size(), 1, 1, 1}));

  const Index first = comm_.rank() == 0 ? 0 : 2 * comm_.rank() - 1;  // parts of 1, 2, 2 ...
  Workload uneven{"uneven", {{"x", 1, {2 * comm_.size() - 1}}}, {}, 0};
  uneven.add_field("a", 0, Box({first}, {2 * comm_.rank() + 1}), 1, {0});
  EXPECT_EQ(regular_extents(MPI_COMM_WORLD, uneven).has_value(), comm_.size() == 1);
}

TEST_F(RunnerTest, GathersAndScattersWholeFields) {
  for (Workload& workload : workloads()) {
    RootCopy root(MPI_COMM_WORLD, workload);
    workload.compute({});
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      const std::vector<double>& part = workload.fields[f].samples;
      const double* whole = root.gather(f, part.data());
      double sum = 0, sum_of_whole = 0;
      for (const double sample : part) sum += sample;
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      Index n = static_cast<Index>(part.size());
      MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
      for (Index i = 0; root.is_root() && i < n; ++i) sum_of_whole += whole[i];
      EXPECT_NEAR(sum_of_whole, root.is_root() ? sum : 0, 1e-12 * sum);  // the order of additions differs
      std::vector<double> returned(part.size());
      root.scatter(f, returned.data());
      EXPECT_EQ(returned, part);
    }
  }
}

/// Returns the samples of the previous step, once.
class StaleCase final : public Case {
 public:
  [[nodiscard]] std::string name() const override { return "stale"; }
  void write_step(const Workload& workload, Index) override {
    stored_.push_back(make_samples(workload));
    for (std::size_t f = 0; f < workload.fields.size(); ++f) stored_.back()[f] = workload.fields[f].samples;
  }
  void read_step(const Workload&, Index step, Samples& samples) override {
    for (std::size_t f = 0; f < samples.size(); ++f) {
      samples[f] = stored_[static_cast<std::size_t>(step == 1 ? 0 : step)][f];
    }
  }
  void remove() override { stored_.clear(); }

 private:
  std::vector<Samples> stored_;
};

TEST_F(RunnerTest, ACaseThatReturnsAnotherStepHasBadValues) {
  Workload workload = make_s3d(comm_.rank(), comm_.size(), {5, 4, 3});
  std::vector<std::unique_ptr<Case>> cases;
  cases.push_back(std::make_unique<StaleCase>());
  cases.push_back(memcpy_case());
  const auto measured = run(MPI_COMM_WORLD, cases, workload, {.steps = 3, .repeats = 2});
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[0].bad_values, 3 * 16 * 60 * comm_.size());  // the untimed repetition is checked, too
  EXPECT_EQ(measured[1].bad_values, 0);
  EXPECT_EQ(measured[0].write_s.size(), 2u);
}

TEST_F(RunnerTest, WithoutReadingNothingIsChecked) {
  Workload workload = make_s3d(comm_.rank(), comm_.size(), {5, 4, 3});
  std::vector<std::unique_ptr<Case>> cases;
  cases.push_back(std::make_unique<StaleCase>());
  const auto measured = run(MPI_COMM_WORLD, cases, workload, {.steps = 3, .repeats = 2, .reads = false});
  EXPECT_EQ(measured[0].bad_values, 0);
  EXPECT_TRUE(measured[0].read_s.empty());
  EXPECT_EQ(measured[0].write_s.size(), 2u);
}

class FilesTest : public RunnerTest {
 protected:
  /// A new directory of this rank.
  std::string directory() {
    const std::string path =
        testing::TempDir() + "bench_files_" + std::to_string(::getpid()) + "_" + std::to_string(comm_.rank());
    std::filesystem::create_directories(path);
    return path;
  }
};

TEST_F(FilesTest, DroppedWritesLeaveTheFirst64KiB) {
  constexpr std::size_t kKept = 64 << 10;
  const std::string path = directory() + "/file";
  const std::vector<char> bytes(3 * kKept, 'x');
  drop_writes(true);
  {
    FileDescriptor file(path, O_WRONLY | O_CREAT);
    file.write_at(bytes.data(), 10, 5);
    file.write_at(bytes.data(), 2 * kKept, Index{kKept} / 2);
    file.write_at(bytes.data(), kKept, Index{5 * kKept});
  }
  EXPECT_EQ(std::filesystem::file_size(path), kKept);
  drop_writes(false);
  FileDescriptor(path, O_WRONLY).write_at(bytes.data(), kKept, Index{kKept});
  EXPECT_EQ(std::filesystem::file_size(path), 2 * kKept);
  std::filesystem::remove_all(directory());
}

TEST_F(FilesTest, PackedBuffersFillFilesOfEqualSizes) {
  const Workload workload = make_s3d(0, 3, {5, 4, 3});  // 23040 bytes
  const std::string path = directory();
  for (int rank = 0; rank < 3; ++rank) {
    packed_case("packed", path, rank, 3, {.files = 5, .write_bytes = 1000}, workload)
        ->write_step(workload, 0);
  }
  Index total = 0;
  for (int number = 0; number < 5; ++number) {
    const auto size = std::filesystem::file_size(path + "/packed.0." + std::to_string(number));
    EXPECT_EQ(size, 4608u);
    total += static_cast<Index>(size);
  }
  EXPECT_EQ(total, workload.data_bytes);
  std::filesystem::remove_all(path);
}

/// The number of writes of this process so far, as Linux counts them; -1 if it does not.
long num_writes() {
  std::ifstream file("/proc/self/io");
  for (std::string key, value; file >> key >> value;) {
    if (key == "syscw:") return std::stol(value);
  }
  return -1;
}

TEST_F(FilesTest, IorWritesInTransfersOfOneMebibyte) {
  const Workload workload = make_s3d(0, 1, {64, 64, 40});  // 16 components of 1.25 MiB in 4 fields
  const auto writes_of = [&](const std::unique_ptr<Case>& tested) {
    long least = std::numeric_limits<long>::max();
    for (int i = 0; i < 3; ++i) {  // other threads of MPI may write, too
      const long before = num_writes();
      tested->write_step(workload, 0);
      least = std::min(least, num_writes() - before);
    }
    return least;
  };
  const std::string path = directory();
  const long whole = writes_of(posix_case(path, 0));
  if (num_writes() < 0) GTEST_SKIP() << "/proc/self/io does not count writes";
  EXPECT_EQ(writes_of(ior_case(path, 0)) - whole, (2 + 2 + 4 + 14) - 4);
  EXPECT_EQ(writes_of(ior_shared_case(path, 0)) - whole, (2 + 2 + 4 + 14) - 4);
  EXPECT_EQ(std::filesystem::file_size(path + "/ior_shared.0"),
            std::filesystem::file_size(path + "/posix.0.0"));
  std::filesystem::remove_all(path);
}

}  // namespace
}  // namespace bench
