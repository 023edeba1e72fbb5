#include "format/hdf5/global_heap.h"

#include <algorithm>
#include <cstdint>

#include "base/error.h"

namespace esker::hdf5 {
namespace {

constexpr std::uint64_t kHeader = 16;  // of a collection, and of an object: both are padded to it
constexpr std::size_t kSizeAt = 8;     // in both

std::uint64_t number_at(std::span<const std::byte> bytes, std::uint64_t at, std::size_t n_bytes) {
  std::uint64_t number = 0;
  for (std::size_t n = n_bytes; n-- > 0;) {
    number = number << 8 | static_cast<std::uint64_t>(bytes[static_cast<std::size_t>(at) + n]);
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

Status check_global_heap(std::span<const std::byte> bytes, std::size_t length_bytes) {
  if (length_bytes == 0) return error(Code::kDataLoss, "a global heap in a file of unknown form");
  if (bytes.size() < kHeader) return {};
  const std::uint64_t end = number_at(bytes, kSizeAt, length_bytes);
  if (end > bytes.size()) return {};
  std::uint64_t at = kHeader;
  while (at < end && end - at >= kHeader) {
    const std::uint64_t number = number_at(bytes, at, 2);
    const std::uint64_t size = number_at(bytes, at + kSizeAt, length_bytes), left = end - at;
    const std::uint64_t padded = (size + 7) / 8 * 8;
    const bool fits =
        number == 0 ? kHeader <= size && size <= left : size <= left && padded <= left - kHeader;
    if (!fits) {
      return error(Code::kDataLoss, "object {} of a global heap has {} bytes, of {} that are left", number,
                   size, left);
    }
    at += number == 0 ? size : kHeader + padded;
  }
  return {};
}

}  // namespace esker::hdf5
