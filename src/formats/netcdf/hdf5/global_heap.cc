#include "formats/netcdf/hdf5/global_heap.h"

#include <string_view>

#include "base/error.h"

namespace esker::hdf5 {
namespace {

constexpr std::size_t kHeader = 16;  // of a collection, and of an object: both are padded to it
constexpr std::size_t kSizeAt = 8;   // in both

/// Little-endian.
std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t at, std::size_t n_bytes) {
  std::uint64_t number = 0;
  for (std::size_t n = n_bytes; n-- > 0;) {
    number = number << 8 | static_cast<std::uint64_t>(bytes[at + n]);
  }
  return number;
}

}  // namespace

std::size_t size_of_lengths(std::span<const std::byte> superblock) {
  constexpr std::size_t kVersionAt = 8;
  if (superblock.size() < kSuperblockHead) return 0;
  const auto version = static_cast<unsigned>(superblock[kVersionAt]);
  const auto n_bytes = static_cast<std::size_t>(superblock[version < 2 ? 14 : 10]);
  return version <= 3 && (n_bytes == 2 || n_bytes == 4 || n_bytes == 8) ? n_bytes : 0;
}

HeapReference parse_reference(std::span<const std::byte, kReferenceBytes> bytes) {
  return {static_cast<std::uint32_t>(number_at(bytes, 0, 4)), number_at(bytes, 4, 8),
          static_cast<std::uint32_t>(number_at(bytes, 12, 4))};
}

Result<std::uint64_t> collection_bytes(std::span<const std::byte> head, std::size_t length_bytes) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (length_bytes == 0 || head.size() < kCollectionHead || !text.starts_with("GCOL\1")) {
    return error(Code::kDataLoss, "expected a collection of a global heap, found other bytes");
  }
  return number_at(head, kSizeAt, length_bytes);
}

HeapObjects objects_of(std::span<const std::byte> collection, std::size_t length_bytes) {
  HeapObjects objects;
  std::size_t at = kHeader;
  while (at < collection.size() && collection.size() - at >= kHeader) {
    const std::uint64_t number = number_at(collection, at, 2);
    const std::uint64_t size = number_at(collection, at + kSizeAt, length_bytes);
    const std::size_t left = collection.size() - at - kHeader;
    if (number == 0 || size > left) break;  // 0: the free space, which is last
    objects.emplace(number, collection.subspan(at + kHeader, static_cast<std::size_t>(size)));
    at += kHeader + (static_cast<std::size_t>(size) + 7) / 8 * 8;
  }
  return objects;
}

Result<std::span<const std::byte>> find_object(const HeapObjects& objects, std::uint32_t number) {
  const auto found = objects.find(number);
  if (found != objects.end()) return found->second;
  return error(Code::kDataLoss, "object {} is missing in a global heap", number);
}

}  // namespace esker::hdf5
