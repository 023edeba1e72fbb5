// Rounds chunks, and compresses those of NetCDF-4 files, as filters of the HDF5 library would.
//
// zip and zstd compress shuffled bytes (codec/shuffle.h); bitround rounds first (codec/bit_round.h); zfp
// compresses values. Which filters these are, and in which order: docs/formats/netcdf4.md, section 2.
#pragma once

#include <cstddef>
#include <span>

#include "codec/codec.h"
#include "codec/compress.h"

namespace esker {

/// Whether chunks of this shape can be compressed. kUnsupported: lz4, which HDF5 readers lack; a type or
/// shape that zfp does not support. kInvalidArgument: bits that the type does not have.
Status check_chunk_codec(const CodecSpec& spec, const BlockShape& chunk);

/// The axes of more than one sample, which is what zfp's filter sees of a chunk.
BlockShape without_unit_axes(const BlockShape& chunk);

/// A chunk in memory.
struct ChunkSamples {
  BlockShape shape;
  Box inside;                       ///< indices of its samples inside the grid
  std::span<const std::byte> fill;  ///< the value that means no value, which is not rounded
  std::span<const std::byte> bytes;
};

/// Over the samples inside the grid, rounded up. If it has values that are not finite, rms is max.
struct RoundingErrors {
  float max = 0, rms = 0;
};

/// Rounds all samples to so many bits of the mantissa (codec/bit_round.h), and measures what that changes.
/// `rounded`: as many bytes. Local, pure; allocates nothing.
RoundingErrors round_chunk(int kept_bits, const ChunkSamples& samples, std::span<std::byte> rounded);

/// Bytes of scratch that compress_chunk() needs.
Index chunk_scratch_bytes(const CodecSpec& spec, const BlockShape& chunk);

/// Compresses a chunk to `out`, which has the size of the samples, as compress() does a block: a chunk that
/// does not shrink is raw. The errors are those of round_chunk() and compress(). Local, deterministic;
/// allocates nothing but what the codecs' libraries do.
Result<Compressed> compress_chunk(const CodecSpec& spec, const ChunkSamples& samples,
                                  std::span<std::byte> out, std::span<std::byte> scratch);

/// Decodes a chunk that is not raw. `values`: shape.size_bytes(). kDataLoss as decode().
Status decode_chunk(const CodecSpec& spec, std::span<const std::byte> stored, const BlockShape& chunk,
                    std::span<std::byte> values, std::span<std::byte> scratch);

}  // namespace esker
