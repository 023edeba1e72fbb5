// Dataset::read and Reader::request into memory with any strides.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <numeric>

#include "esker/reader.hpp"
#include "esker/writer.hpp"
#include "layout/places.h"

namespace esker {
namespace {

constexpr Index kX = 6, kY = 5, kZ = 4, kNum = kX * kY * kZ;
constexpr float kOutside = -1;

/// `s` has the numbers of its samples, `v` has two components.
class ReadMemory : public testing::Test {
 protected:
  void SetUp() override {
    std::iota(scalars_.begin(), scalars_.end(), 0.0f);
    std::iota(vectors_.begin(), vectors_.end(), 1000.0f);
    std::filesystem::create_directories(path_.parent_path());
    Options options;
    options.set("report", "none").check();
    options.set("bits_per_block", "3").check();
    Writer writer = Writer::create(path_.string(), Communicator::serial(), options).value();
    const auto x = writer.def_dim("x", kX).value(), y = writer.def_dim("y", kY).value();
    const auto grid = writer.def_grid("xyz", {x, y, writer.def_dim("z", kZ).value()}).value();
    const auto s = writer.def_field(grid, "s", SampleType::kFloat32).value();
    const auto v = writer.def_field(grid, "v", SampleType::kFloat32, {.components = 2}).value();
    writer.begin_step(0).check();
    writer.put(s, Patch::dense(kGrid, scalars_.data())).check();
    writer.put(v, Patch::dense(kGrid, vectors_.data(), 2)).check();
    writer.end_step().check();
    writer.close().check();
  }
  void TearDown() override { std::filesystem::remove_all(path_.parent_path()); }

  static inline const Box kGrid = Box::from_extent(3, {kX, kY, kZ});
  /// Memory for `count` samples along each axis, in the order z, y, x and with a margin.
  [[nodiscard]] MutablePatch memory(const Point& count) {
    out_.assign(2 * kNum + 100, kOutside);
    return MutablePatch::strided(Box::from_extent(3, count), out_.data() + 7,
                                 {count[1] * count[2], count[2], 1});
  }
  void expect_samples(const Lattice& samples) const {
    std::vector<float> expected(out_.size(), kOutside);
    for (Index k = 0; k < samples.count[2]; ++k) {
      for (Index j = 0; j < samples.count[1]; ++j) {
        for (Index i = 0; i < samples.count[0]; ++i) {
          const Point p = samples.point({i, j, k});
          expected[static_cast<std::size_t>(7 + (i * samples.count[1] + j) * samples.count[2] + k)] =
              scalars_[static_cast<std::size_t>(p[0] + kX * (p[1] + kY * p[2]))];
        }
      }
    }
    EXPECT_EQ(out_, expected);
  }
  static void expect_error(const Status& status, Code code, const std::string& words) {
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
  }

  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("esker-memory-" + std::to_string(::getpid())) / "run.idx";
  std::array<float, kNum> scalars_{};
  std::array<float, 2 * kNum> vectors_{};
  std::vector<float> out_;
};

TEST_F(ReadMemory, HasAnyStrides) {
  const Dataset dataset = Dataset::open(path_.string()).value();
  std::vector<Query> queries(3, Query{.field = "s"});
  queries[1].level = 4;
  queries[2].stride = Point{2, 3, 1, 1, 1};
  Reader reader = Reader::open(path_.string(), Communicator::serial()).value();
  for (const Query& query : queries) {
    const Lattice samples = dataset.select(query).value();
    const MutablePatch out = memory(samples.count);
    dataset.read(query, out).check();
    expect_samples(samples);
    std::fill(out_.begin(), out_.end(), kOutside);
    reader.request(query, out).check();
    reader.read().check();
    expect_samples(samples);
  }
}

TEST_F(ReadMemory, IsRefined) {
  const Dataset dataset = Dataset::open(path_.string()).value();
  const Lattice all = dataset.select({.field = "s"}).value();
  const Lattice coarse = dataset.select({.field = "s", .level = 3}).value();
  MutablePatch out = memory(all.count), of_coarse = out;
  of_coarse.box = coarse.all_indices();
  for (int a = 0; a < 3; ++a) of_coarse.stride_bytes[a] *= coarse.stride[a] / all.stride[a];
  dataset.read({.field = "s", .level = 3}, of_coarse).check();
  dataset.read({.field = "s", .start_level = 4}, out).check();
  expect_samples(all);
}

TEST_F(ReadMemory, MayHaveComponentsThatAreNotAdjacent) {
  const Dataset dataset = Dataset::open(path_.string()).value();
  Reader reader = Reader::open(path_.string(), Communicator::serial()).value();
  const Point every_second{2, 1, 1, 1, 1}, other{3, 2, 4, 1, 1};
  for (const std::optional<Point>& stride :
       {std::optional<Point>(), std::optional(every_second), std::optional(other)}) {
    const Query query{.field = "v", .stride = stride};
    const Lattice samples = dataset.select(query).value();
    const auto n = static_cast<std::size_t>(samples.num_samples());
    std::vector<float> planes(2 * n), alone(2 * n);
    MutablePatch out = MutablePatch::dense(samples.all_indices(), planes.data());
    out.component_stride_bytes = static_cast<Index>(n) * 4;
    reader.request(query, out).check();
    reader.read().check();
    out.data = alone.data();
    dataset.read(query, out).check();
    std::size_t i = 0;
    for_each_place(samples.all_indices(), [&](const Point& index) {
      const Point p = samples.point(index);
      const auto place = static_cast<std::size_t>(p[0] + kX * (p[1] + kY * p[2]));
      EXPECT_EQ(planes[i], vectors_[2 * place]);
      EXPECT_EQ(planes[i + n], vectors_[2 * place + 1]);
      ++i;
    });
    EXPECT_EQ(alone, planes);
  }
}

TEST_F(ReadMemory, WithComponentsThatAreNotAdjacentIsRefined) {
  const Dataset dataset = Dataset::open(path_.string()).value();
  const Lattice coarse = dataset.select({.field = "v", .level = 3}).value();
  std::vector<float> planes(2 * kNum, kOutside);
  MutablePatch out = MutablePatch::dense(kGrid, planes.data());
  out.component_stride_bytes = kNum * 4;
  dataset.read({.field = "v", .start_level = 4}, out).check();
  for (std::size_t n = 0; n < kNum; ++n) {
    const auto i = static_cast<Index>(n);
    const Point p{i % kX, i / kX % kY, i / kX / kY, 0, 0};
    const bool is_coarse = !coarse.indices_in(Box(3, p, {p[0] + 1, p[1] + 1, p[2] + 1, 1, 1})).empty();
    EXPECT_EQ(planes[n], is_coarse ? kOutside : vectors_[2 * n]);
    EXPECT_EQ(planes[n + kNum], is_coarse ? kOutside : vectors_[2 * n + 1]);
  }
}

TEST_F(ReadMemory, IsChecked) {
  const Dataset dataset = Dataset::open(path_.string()).value();
  const Query query{.field = "s"};
  MutablePatch out = memory({kX, kY, kZ - 1, 1, 1});
  expect_error(dataset.read(query, out), Code::kInvalidArgument,
               "expected memory with the extents of [0,6) x [0,5) x [0,4), found [0,6) x [0,5) x [0,3)");
  out = memory(kGrid.hi);
  out.type = SampleType::kInt32;
  expect_error(dataset.read(query, out), Code::kInvalidArgument,
               "expected memory of type float32, found int32");
  out = memory(kGrid.hi);
  out.stride_bytes[2] = 0;
  expect_error(dataset.read(query, out), Code::kInvalidArgument, "share memory");
  out = memory(kGrid.hi);
  out.data = nullptr;
  expect_error(dataset.read(query, out), Code::kInvalidArgument, "the destination is NULL");
  expect_error(dataset.read(query, nullptr, out_.size() * sizeof(float)), Code::kInvalidArgument, "");
  expect_error(dataset.read(query, nullptr, static_cast<std::size_t>(kGrid.num_samples()) * sizeof(float)),
               Code::kInvalidArgument, "the destination is NULL");
  out = memory(kGrid.hi);
  out.is_on_device = true;
  expect_error(dataset.read(query, out), Code::kInvalidArgument, "expected memory of a GPU");
  EXPECT_EQ(out_, std::vector<float>(out_.size(), kOutside));
}

}  // namespace
}  // namespace esker
