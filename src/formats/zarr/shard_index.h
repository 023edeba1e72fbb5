// The index of a shard: where its chunks are. It is the end of the shard's file; other programs may begin
// with it.
//
//   for each chunk of the shard, row-major: uint64 offset, uint64 bytes; both 2^64 - 1: not stored
//   uint32: CRC-32C of these bytes, which other programs may leave out
//
// Little-endian. Source: Zarr v3, codec sharding_indexed 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"

namespace esker::zarr {

struct ChunkPlace {
  static constexpr std::uint64_t kAbsent = ~std::uint64_t{0};
  std::uint64_t offset_bytes = kAbsent;
  std::uint64_t size_bytes = kAbsent;

  [[nodiscard]] bool is_absent() const { return offset_bytes == kAbsent && size_bytes == kAbsent; }
};

/// The bytes of an index of so many chunks.
constexpr Index index_bytes(Index num_chunks, bool has_sum = true) {
  return num_chunks * Index{sizeof(ChunkPlace)} + (has_sum ? 4 : 0);
}

std::vector<std::byte> print_index(std::span<const ChunkPlace> places);

/// kDataLoss: the checksum is wrong, or a chunk leaves the bytes [begin, end) of the file, which are those
/// without its index. `bytes`: index_bytes() of some chunks.
Result<std::vector<ChunkPlace>> parse_index(std::span<const std::byte> bytes, Index end, Index begin = 0,
                                            bool has_sum = true);

}  // namespace esker::zarr
