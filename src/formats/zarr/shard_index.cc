#include "formats/zarr/shard_index.h"

#include <cstring>

#include "base/byte_order.h"  // refuses big-endian hosts
#include "base/error.h"
#include "base/macros.h"
#include "store/checksum.h"

namespace esker::zarr {

std::vector<std::byte> print_index(std::span<const ChunkPlace> places) {
  const auto table = std::as_bytes(places);
  const std::uint32_t sum = crc32c(table);
  std::vector<std::byte> bytes(table.size() + sizeof(sum));
  std::memcpy(bytes.data(), table.data(), table.size());
  std::memcpy(bytes.data() + table.size(), &sum, sizeof(sum));
  return bytes;
}

namespace {

Status check_sum(std::span<const std::byte> table, std::span<const std::byte> stored) {
  std::uint32_t sum = 0;
  std::memcpy(&sum, stored.data(), sizeof(sum));
  const std::uint32_t found = crc32c(table);
  if (found == sum) return {};
  return error(Code::kDataLoss, "the index of the shard has the checksum {:08x}, but records {:08x}", found,
               sum);
}

}  // namespace

Result<std::vector<ChunkPlace>> parse_index(std::span<const std::byte> bytes, Index end, Index begin,
                                            bool has_sum) {
  const auto table = bytes.first(bytes.size() / sizeof(ChunkPlace) * sizeof(ChunkPlace));
  if (has_sum) ESKER_RETURN_IF_ERROR(check_sum(table, bytes.subspan(table.size())));
  std::vector<ChunkPlace> places(table.size() / sizeof(ChunkPlace));
  if (!places.empty()) std::memcpy(places.data(), table.data(), table.size());
  const auto least = static_cast<std::uint64_t>(begin), most = static_cast<std::uint64_t>(end);
  for (std::size_t n = 0; n < places.size(); ++n) {
    const auto [offset, size] = places[n];
    if (places[n].is_absent() || (least <= offset && offset <= most && size <= most - offset)) continue;
    return error(
        Code::kDataLoss,
        "chunk {} of the shard has {} bytes from byte {} on, but the data are the bytes from {} to {}", n,
        size, offset, begin, end);
  }
  return places;
}

}  // namespace esker::zarr
