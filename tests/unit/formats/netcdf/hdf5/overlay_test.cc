// A file in memory on top of an existing file: reads return the newest writes, and changes can be discarded.
#include "formats/netcdf/hdf5/overlay.h"

#include <gtest/gtest.h>

#include <random>

namespace esker::hdf5 {
namespace {

std::vector<std::byte> random_bytes(std::mt19937& random, Index n) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(n));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::vector<std::byte> content_of(const File& file) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(file.size_bytes().value()));
  file.read_at(bytes, 0).check();
  return bytes;
}

TEST(Overlay, ReadsTheNewestWritesAndAppliesThem) {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    const auto store = memory_store();
    const auto file = store->open("file", OpenMode::kWrite).value();
    const auto before = random_bytes(random, 100);
    file->write_at(before, 0).check();
    Overlay overlay(file.get(), 100);
    std::vector<std::byte> expected = before;
    expected.resize(200);
    Index end = 100;
    for (int n = 0; n < 20; ++n) {
      const Index offset = static_cast<Index>(random() % 180);
      const auto bytes = random_bytes(random, static_cast<Index>(random() % 20));
      overlay.write(bytes, offset);
      std::copy(bytes.begin(), bytes.end(), expected.begin() + offset);
      if (!bytes.empty()) end = std::max(end, offset + static_cast<Index>(bytes.size()));
      std::vector<std::byte> found(static_cast<std::size_t>(random() % 200));
      const auto begin = static_cast<Index>(random() % (201 - found.size()));
      overlay.read(found, begin).check();
      ASSERT_TRUE(std::equal(found.begin(), found.end(), expected.begin() + begin));
    }
    ASSERT_EQ(overlay.end_bytes(), end);
    Index last = -1;  // ranges do not overlap
    for (const auto& [offset, bytes] : overlay.change().ranges) {
      ASSERT_GE(offset, last);
      last = offset + static_cast<Index>(bytes.size());
    }
    const Change inverse = inverse_of(overlay.change(), *file, 100).value();
    apply(*file, overlay.change()).check();
    expected.resize(static_cast<std::size_t>(end));
    ASSERT_EQ(content_of(*file), expected);
    apply(*file, inverse).check();
    file->shrink_to(inverse.file_bytes).check();
    ASSERT_EQ(content_of(*file), before);
  }
}

TEST(Overlay, HidesTheFileBeyondItsEnd) {
  const auto store = memory_store();
  const auto file = store->open("file", OpenMode::kWrite).value();
  file->write_at(std::vector<std::byte>(10, std::byte{1}), 0).check();
  const Overlay overlay(file.get(), 6);
  std::vector<std::byte> found(4);
  overlay.read(found, 4).check();
  EXPECT_EQ(found, (std::vector{std::byte{1}, std::byte{1}, std::byte{0}, std::byte{0}}));
}

}  // namespace
}  // namespace esker::hdf5
