#include "formats/zarr/shard_index.h"

#include <cstring>

#include "base/byte_order.h"  // refuses big-endian hosts
#include "base/error.h"
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

Result<std::vector<ChunkPlace>> parse_index(std::span<const std::byte> bytes, Index data_bytes) {
  std::uint32_t sum = 0;
  const auto table = bytes.first(bytes.size() - sizeof(sum));
  std::memcpy(&sum, bytes.data() + table.size(), sizeof(sum));
  const std::uint32_t found = crc32c(table);
  if (found != sum) {
    return error(Code::kDataLoss, "the index of the shard has the checksum {:08x}, but records {:08x}", found,
                 sum);
  }
  std::vector<ChunkPlace> places(table.size() / sizeof(ChunkPlace));
  std::memcpy(places.data(), table.data(), table.size());
  const auto most = static_cast<std::uint64_t>(data_bytes);
  for (std::size_t n = 0; n < places.size(); ++n) {
    const auto [offset, size] = places[n];
    if (places[n].is_absent() || (offset <= most && size <= most - offset)) continue;
    return error(Code::kDataLoss,
                 "chunk {} of the shard has {} bytes from byte {} on, but the data end at byte {}", n, size,
                 offset, data_bytes);
  }
  return places;
}

}  // namespace esker::zarr
