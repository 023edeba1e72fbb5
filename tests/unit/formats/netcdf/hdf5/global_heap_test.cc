// Objects of a global heap, good and damaged: no bytes outside of the collection are returned.
#include "formats/netcdf/hdf5/global_heap.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace esker::hdf5 {
namespace {

void append(std::vector<std::byte>& bytes, std::uint64_t number, int n_bytes) {
  for (int n = 0; n < n_bytes; ++n) bytes.push_back(static_cast<std::byte>(number >> (8 * n)));
}

/// A collection of texts, numbered from 1 on, of lengths that are 8 bytes wide.
std::vector<std::byte> collection_of(const std::vector<std::string>& texts) {
  std::vector<std::byte> bytes;
  for (const char c : std::string("GCOL\1\0\0\0", 8)) bytes.push_back(static_cast<std::byte>(c));
  append(bytes, 256, 8);
  for (std::size_t n = 0; n < texts.size(); ++n) {
    append(bytes, n + 1, 2), append(bytes, 1, 6), append(bytes, texts[n].size(), 8);
    for (const char c : texts[n]) bytes.push_back(static_cast<std::byte>(c));
    bytes.resize((bytes.size() + 7) / 8 * 8);
  }
  bytes.resize(256);
  return bytes;
}

std::string text_in(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(GlobalHeap, ObjectsAreFoundByNumber) {
  const auto bytes = collection_of({"one", "two is longer", "three"});
  EXPECT_EQ(collection_bytes(bytes, 8).value(), 256u);
  EXPECT_EQ(text_in(find_object(objects_of(bytes, 8), 1).value()), "one");
  EXPECT_EQ(text_in(find_object(objects_of(bytes, 8), 2).value()), "two is longer");
  EXPECT_EQ(text_in(find_object(objects_of(bytes, 8), 3).value()), "three");
  for (const std::uint32_t number : {0u, 4u, 65536u + 1, ~0u}) {
    EXPECT_EQ(find_object(objects_of(bytes, 8), number).status().code(), Code::kDataLoss) << number;
  }
}

TEST(GlobalHeap, ADamagedByteNeverReadsOutsideTheCollection) {
  const auto good = collection_of({"one", "two is longer", "three"});
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const unsigned value : {0u, 1u, 0x7fu, 0xffu}) {
      auto bytes = good;
      bytes[at] = static_cast<std::byte>(value);
      for (std::uint32_t number = 0; number < 5; ++number) {
        const auto found = find_object(objects_of(bytes, 8), number);
        if (!found.ok()) continue;
        ASSERT_GE(found->data(), bytes.data());
        ASSERT_LE(found->data() + found->size(), bytes.data() + bytes.size());
      }
    }
  }
  for (std::size_t n = 0; n < good.size(); ++n) {
    const auto found = find_object(objects_of(std::span(good).first(n), 8), 3);
    ASSERT_TRUE(!found.ok() || found->data() + found->size() <= good.data() + n);
  }
}

TEST(GlobalHeap, UnknownSuperblocksAreRefused) {
  std::array<std::byte, kSuperblockHead> head{};
  head[14] = std::byte{8}, head[10] = std::byte{4};
  EXPECT_EQ(size_of_lengths(head), 8u);
  head[8] = std::byte{2};
  EXPECT_EQ(size_of_lengths(head), 4u);
  head[8] = std::byte{9};
  EXPECT_EQ(size_of_lengths(head), 0u);
  EXPECT_EQ(collection_bytes(head, 8).status().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace esker::hdf5
