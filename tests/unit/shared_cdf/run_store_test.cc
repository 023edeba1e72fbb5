// Runs that are close to each other are written together, but never over another array.
#include "transfer/run_store.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "shared_cdf/access_boxes.h"
#include "transfer/run_message.h"

namespace esker {
namespace {

/// Remembers the ranges that are read and written.
class RecordingFile final : public File {
 public:
  Status write_at(std::span<const std::byte> bytes, Index offset) override {
    written.emplace_back(offset, offset + std::ssize(bytes));
    return {};
  }
  Status read_at(std::span<std::byte> bytes, Index offset) const override {
    read.emplace_back(offset, offset + std::ssize(bytes));
    std::memset(bytes.data(), 0, bytes.size());
    return {};
  }
  [[nodiscard]] Result<Index> size_bytes() const override { return Index{1} << 20; }
  Status extend_to(Index) override { return {}; }
  Status shrink_to(Index) override { return {}; }
  Status sync() override { return {}; }
  Status close() override { return {}; }

  using Ranges = std::vector<std::pair<Index, Index>>;
  Ranges written;
  mutable Ranges read;
};

/// Stores bytes of a file whose arrays end at multiples of 1000.
void store(RecordingFile& file, const RecordingFile::Ranges& runs) {
  std::vector<std::byte> values(1 << 12), message(1 << 14);
  const FileRange range{0, 1 << 13};
  ArrayBoxes bytes;
  bytes.type = bytes.memory_type = SampleType::kUint8;
  RunWriter writer(message.data(), range.begin);
  for (const auto& [begin, end] : runs) {
    ASSERT_TRUE(writer.append(bytes, {begin, end - begin, values.data(), 1}));
  }
  const Delivery delivery{0, writer.message()};
  RunStore(range.size())
      .store(file, range, [](Index at) { return (at / 1000 + 1) * 1000; }, {&delivery, 1})
      .check();
}

TEST(RunStore, FillsSmallHolesInAnArray) {
  RecordingFile file;
  store(file, {{100, 200}, {250, 300}, {800, 900}});
  EXPECT_EQ(file.written, (RecordingFile::Ranges{{100, 300}, {800, 900}}));
  EXPECT_EQ(file.read, (RecordingFile::Ranges{{100, 300}}));
}

TEST(RunStore, DoesNotWriteOverOtherArrays) {
  RecordingFile file;
  store(file, {{900, 990}, {1010, 1100}, {1900, 2000}, {2000, 2100}});
  EXPECT_EQ(file.written, (RecordingFile::Ranges{{900, 990}, {1010, 1100}, {1900, 2100}}));
  EXPECT_TRUE(file.read.empty());
}

TEST(EndsOfArrays, AreThoseOfVariablesAndRecords) {
  cdf::Header header;
  header.version = cdf::Version::kData64;
  header.dims = {{"t", 0}, {"x", 5}};
  const auto add = [&](std::vector<int> dims, Index begin) {
    cdf::Variable variable;
    variable.dims = std::move(dims);
    variable.begin = begin;
    header.variables.push_back(std::move(variable));
  };
  add({1}, 100);
  add({0, 1}, 320);
  add({1}, 120);
  add({0, 1}, 300);
  ASSERT_EQ(header.record_bytes(), 40);
  const EndOfArray end = cdf::ends_of_arrays(header);
  EXPECT_EQ(end(119), 120);
  EXPECT_EQ(end(139), 300);
  EXPECT_EQ(end(300), 320);
  EXPECT_EQ(end(339), 340);
  EXPECT_EQ(end(340), 360);
  EXPECT_EQ(end(339 + 400), 740);
}

}  // namespace
}  // namespace esker
