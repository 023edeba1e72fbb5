// Reading and writing by one rank alone, against one value at a time.
#include "transfer/own_access.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "base/byte_order.h"
#include "store/store.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::points_of;
using testing_support::Random;

/// Fill value of the array of int16, and the misfit of the memory.
constexpr std::int16_t kFill = -999;
constexpr std::int16_t kMisfit = -7;

FileArray array_of(int rank, const Point& extent, SampleType type) {
  FileArray array;
  array.rank = rank;
  array.extent = extent;
  array.type = type;
  array.offset_bytes = 100;
  array.fill.resize(static_cast<std::size_t>(array.sample_bytes()));
  if (type == SampleType::kInt16) std::memcpy(array.fill.data(), &kFill, sizeof(kFill));
  return array;
}

Index position_of(const FileArray& array, const Point& point) {
  Index position = 0;
  for (int a = array.rank - 1; a >= 0; --a) position = position * array.extent[a] + point[a];
  return position;
}

/// A number in the file; 0 behind its end.
template <class Number>
Number stored(const File& file, const FileArray& array, const Point& point) {
  const Index offset = array.offset_bytes + position_of(array, point) * array.sample_bytes();
  std::vector<std::byte> bytes(sizeof(Number));
  if (offset + array.sample_bytes() > file.size_bytes().value()) return 0;
  file.read_at(bytes, offset).check();
  swap_bytes(bytes, static_cast<int>(sizeof(Number)));
  Number number;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return number;
}

/// Values of a box with gaps between them, in either direction.
struct Memory {
  std::vector<double> values;
  std::array<Index, kMaxRank> stride_bytes{};
  Index first = 0;  // position of the value at box.lo

  Memory(const Box& box, Random& random) {
    Index n = random.in(1, 2);
    for (int a = 0; a < box.rank; ++a) {
      const bool is_reversed = random.in(0, 3) == 0;
      stride_bytes[static_cast<std::size_t>(a)] = (is_reversed ? -n : n) * 8;
      if (is_reversed) first += n * (box.extent(a) - 1);
      n = n * box.extent(a) + random.in(0, 2);
    }
    values.assign(static_cast<std::size_t>(n + first), -1e300);
  }
  double& at(const Box& box, const Point& point) {
    Index position = first;
    for (int a = 0; a < box.rank; ++a)
      position += (point[a] - box.lo[a]) * stride_bytes[static_cast<std::size_t>(a)] / 8;
    return values[static_cast<std::size_t>(position)];
  }
  template <class Made>
  Made patch(const Box& box) {
    Made made;
    made.box = box;
    made.data = values.data() + first;
    made.type = SampleType::kFloat64;
    made.stride_bytes = stride_bytes;
    return made;
  }
};

class OwnAccess : public testing::Test {
 protected:
  Random random_{3};
  std::shared_ptr<Store> store_ = memory_store();

  FileArray random_array(int n, SampleType type) {
    const int rank = 1 + n % kMaxRank;
    Point extent{1, 1, 1, 1, 1};
    for (int a = 0; a < rank; ++a) extent[a] = random_.in(1, rank > 3 ? 4 : 9);
    return array_of(rank, extent, type);
  }
  std::unique_ptr<File> file(int n) {
    return store_->open("file" + std::to_string(n), OpenMode::kWrite).value();
  }
};

TEST_F(OwnAccess, WritesExactlyTheValuesOfTheBox) {
  for (int n = 0; n < 500; ++n) {
    const FileArray array = random_array(n, SampleType::kInt16);
    const auto target = file(n);
    const std::vector<std::byte> old(
        static_cast<std::size_t>(array.offset_bytes + 2 * array.domain().num_samples() + 50), std::byte{5});
    target->write_at(old, 0).check();
    const Box box = random_.box_in(array.domain());
    Memory memory(box, random_);
    bool any_misfit = false;
    for (const Point& point : points_of(box)) {
      const bool fits = random_.in(0, 30) > 0;
      memory.at(box, point) = fits ? static_cast<double>(random_.in(-30000, 30000)) : 1e6;
      any_misfit |= !fits;
    }
    bool all_fit = true;
    write_alone(*target, array, memory.patch<Patch>(box), all_fit).check();
    EXPECT_EQ(all_fit, !any_misfit);
    for (const Point& point : points_of(array.domain())) {
      const double value = box.contains(point) ? memory.at(box, point) : 0x0505;
      ASSERT_EQ(stored<std::int16_t>(*target, array, point), value == 1e6 ? kFill : value);
    }
    std::vector<std::byte> around(50);
    EXPECT_EQ(target->size_bytes().value(), std::ssize(old));
    target->read_at(around, std::ssize(old) - 50).check();
    EXPECT_EQ(around, std::vector<std::byte>(50, std::byte{5}));
  }
}

TEST_F(OwnAccess, ReadsTheValuesAndZerosBehindTheEnd) {
  for (int n = 0; n < 500; ++n) {
    const FileArray array = random_array(n, SampleType::kFloat64);
    const auto source = file(n);
    std::vector<double> content(static_cast<std::size_t>(array.domain().num_samples()));
    for (double& value : content) value = static_cast<double>(random_.in(-30000, 30000));
    std::vector<std::byte> bytes(8 * content.size());
    std::memcpy(bytes.data(), content.data(), bytes.size());
    swap_bytes(bytes, 8);
    const Index present = random_.in(0, std::ssize(content));
    source->write_at(std::span(bytes).first(static_cast<std::size_t>(8 * present)), array.offset_bytes)
        .check();
    const Box box = random_.box_in(array.domain());
    Memory memory(box, random_);
    const Memory before = memory;
    bool all_fit = true;
    read_alone(*source, array, memory.patch<MutablePatch>(box), {}, all_fit).check();
    EXPECT_TRUE(all_fit);
    Memory expected = before;
    for (const Point& point : points_of(box)) {
      expected.at(box, point) = stored<double>(*source, array, point);
    }
    ASSERT_EQ(memory.values, expected.values);  // gaps are not touched
  }
}

TEST_F(OwnAccess, ValuesThatTheMemoryCannotHoldAreMisfits) {
  const FileArray array = array_of(1, {6, 1, 1, 1, 1}, SampleType::kFloat64);
  const auto source = file(0);
  std::vector<double> content{1, 1e9, 3, -1e9, std::numeric_limits<double>::infinity(), 6};
  std::vector<std::byte> bytes(48);
  std::memcpy(bytes.data(), content.data(), bytes.size());
  swap_bytes(bytes, 8);
  source->write_at(bytes, array.offset_bytes).check();
  std::vector<std::int16_t> found(6);
  MutablePatch patch;
  patch.box = Box{{0}, {6}};
  patch.data = found.data();
  patch.type = SampleType::kInt16;
  patch.stride_bytes = {2};
  bool all_fit = true;
  read_alone(*source, array, patch, std::as_bytes(std::span(&kMisfit, 1)), all_fit).check();
  EXPECT_FALSE(all_fit);
  EXPECT_EQ(found, (std::vector<std::int16_t>{1, kMisfit, 3, kMisfit, kMisfit, 6}));
}

// More than one buffer, rows longer than a buffer, and an array behind 2^41 bytes.
TEST_F(OwnAccess, MovesBoxesThatAreLargerThanItsBuffer) {
  FileArray array = array_of(2, {300001, 3, 1, 1, 1}, SampleType::kFloat64);
  const auto target = file(0);
  const Box box{{1, 0}, {300000, 3}};
  std::vector<double> values(static_cast<std::size_t>(box.num_samples()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  Patch patch;
  patch.box = box;
  patch.data = values.data();
  patch.type = SampleType::kFloat64;
  patch.stride_bytes = {8, 8 * box.extent(0)};
  bool all_fit = true;
  write_alone(*target, array, patch, all_fit).check();
  std::vector<double> found(values.size());
  MutablePatch into;
  into.box = box;
  into.data = found.data();
  into.type = SampleType::kFloat64;
  into.stride_bytes = patch.stride_bytes;
  read_alone(*target, array, into, {}, all_fit).check();
  EXPECT_TRUE(found == values);
  EXPECT_TRUE(all_fit);
}

// Gaps that are read through and gaps that are not, in planes below and above the size of the buffer.
TEST_F(OwnAccess, ReadsBoxesWithGapsOfAllSizes) {
  const FileArray array = array_of(3, {3000, 60, 12, 1, 1}, SampleType::kFloat64);
  const auto source = file(0);
  std::vector<double> content(static_cast<std::size_t>(array.domain().num_samples()));
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<double>(i);
  std::vector<std::byte> bytes(8 * content.size());
  std::memcpy(bytes.data(), content.data(), bytes.size());
  swap_bytes(bytes, 8);
  source->write_at(bytes, array.offset_bytes).check();
  for (const Index width : {1, 100, 950, 1050, 2990, 3000}) {
    for (const auto& [height, depth] : {std::pair<Index, Index>{1, 12}, {40, 1}, {20, 12}, {60, 12}}) {
      const Box box{{3000 - width, 60 - height, 12 - depth}, {3000, 60, 12}};
      std::vector<double> found(static_cast<std::size_t>(box.num_samples()), -1), expected;
      for (const Point& point : points_of(box)) {
        expected.push_back(content[static_cast<std::size_t>(position_of(array, point))]);
      }
      bool all_fit = true;
      read_alone(*source, array, MutablePatch::dense(box, found.data()), {}, all_fit).check();
      ASSERT_TRUE(found == expected) << width << " x " << height << " x " << depth;
    }
  }
}

// Only the null store has files of that size; it keeps their first bytes, and reads zeros.
TEST_F(OwnAccess, TakesArraysOfAlmost63Bits) {
  const Index n = Index{1} << 30;
  FileArray array = array_of(3, {n, n / 2, 2, 1, 1}, SampleType::kFloat32);
  const auto target = null_store()->open("large", OpenMode::kWrite).value();
  std::vector<float> values(4, 1.5F);
  Patch patch;
  patch.box = Box{{n - 2, n / 2 - 2, 1}, {n, n / 2, 2}};
  patch.data = values.data();
  patch.type = SampleType::kFloat32;
  patch.stride_bytes = {4, 8, 16};
  bool all_fit = true;
  write_alone(*target, array, patch, all_fit).check();
  EXPECT_EQ(target->size_bytes().value(), array.offset_bytes + 4 * n * n);
  MutablePatch into;
  into.box = patch.box;
  into.data = values.data();
  into.type = SampleType::kFloat32;
  into.stride_bytes = patch.stride_bytes;
  read_alone(*target, array, into, {}, all_fit).check();
  EXPECT_EQ(values, std::vector<float>(4, 0.0F));
}

TEST_F(OwnAccess, MovesNothingOfAnEmptyBox) {
  const FileArray array = array_of(1, {6, 1, 1, 1, 1}, SampleType::kFloat64);
  const auto target = file(0);
  Patch patch;
  patch.box = Box{{3}, {3}};
  bool all_fit = true;
  write_alone(*target, array, patch, all_fit).check();  // empty: no memory is needed
  EXPECT_EQ(target->size_bytes().value(), 0);
}

}  // namespace
}  // namespace esker
