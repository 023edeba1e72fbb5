// CodecChain: how the values of a chunk become its bytes, in Zarr groups of any program. Pure.
//
// The values of a chunk, row-major along the stored order of its axes, become bytes (`bytes`), which other
// codecs encode one after the other. Decoding needs no sizes from the bytes: those of the chunk follow from
// its shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"

namespace esker::zarr {

/// A codec from bytes to bytes. kWithSum is `crc32c`: four bytes behind the others.
enum class ByteCodec : std::uint8_t { kInGzip, kInZlib, kInZstd, kInBlosc, kInLz4, kWithSum };

struct CodecChain {
  int value_bytes = 1;   ///< of a value in memory
  bool is_half = false;  ///< values are float16 in the file, and float32 in memory
  bool is_big_endian = false;
  /// The axis of the array that is stored n-th, slowest first; empty: as in the array.
  std::vector<int> order = {};
  std::vector<ByteCodec> codecs = {};  ///< as they encode; at most one of them is a compression

  /// Whether parts of a chunk can be read from the file: at most their bytes are in another order.
  [[nodiscard]] bool is_plain() const { return codecs.empty() && order.empty() && !is_half; }
  [[nodiscard]] bool has_sum() const;
  /// Bytes of a value in the file before the codecs.
  [[nodiscard]] int stored_value_bytes() const { return is_half ? 2 : value_bytes; }
};

/// The largest size of a chunk whose values have so many bytes in memory; readers refuse larger ones.
Index most_stored_bytes(const CodecChain& chain, Index chunk_bytes);
/// The smallest size, because no codec here makes one byte into any number of them.
Index least_stored_bytes(const CodecChain& chain, Index chunk_bytes);

/// Decodes a chunk to exactly these values, in the stored order of the axes. Memory: twice the values.
/// kDataLoss: the bytes do not decode to them, or a checksum is wrong.
Status decode_chunk(const CodecChain& chain, std::span<const std::byte> stored, std::span<std::byte> values);

}  // namespace esker::zarr
