// Compresses the blocks of a writer, and measures what is lost.
//
//   std::vector<std::byte> scratch(compress_scratch_bytes(spec, shape));
//   ESKER_ASSIGN_OR_RETURN(const Compressed block, compress(spec, samples, shape, inside, out, scratch));
//   store(block.is_raw ? samples : out.first(block.size_bytes));
#pragma once

#include <cstddef>
#include <span>

#include "codec/codec.h"
#include "esker/types/box.hpp"

namespace esker {

/// How compress() stored a block.
struct Compressed {
  Index size_bytes = 0;  ///< in `out`; the size of the samples where is_raw
  bool is_raw = false;   ///< `out` holds nothing of use: the samples are stored as they are
  float max_error = 0;   ///< the largest |x - decoded x| inside the grid, rounded up; 0 where nothing is lost
  float rms_error = 0;   ///< the same samples, rounded up; at most max_error

  static Compressed raw(const BlockShape& shape) {
    return {.size_bytes = shape.size_bytes(), .is_raw = true};
  }
};

/// Bytes of scratch that compress() needs; 0 for codecs without.
Index compress_scratch_bytes(const CodecSpec& spec, const BlockShape& shape);

/// Compresses a block to `out` (shape.size_bytes()), followed by zeros up to a multiple of 8 bytes. `samples`
/// have the alignment of their type. `inside`: lattice indices in the block of the samples inside the grid, a
/// box within the block of shape.rank axes, or empty. `scratch`: compress_scratch_bytes(), any alignment.
///
/// A block is raw where
/// - its size, rounded up to 8, is not below that of the samples;
/// - zfp meets NaN or infinity, inside or outside; in a lossy mode also an integer that is not within
///   -2^30 <= x < 2^30 (2^62 for int64), because zfp lets others wrap around;
/// - decoding gives an error inside that is above the accuracy asked for or above the largest float32, or a
///   value that is not finite.
/// Every lossy block is decoded. zfp's reversible mode is not: it keeps every bit of finite values (denormals
/// and -0.0, too) and of all integers.
///
/// Local and deterministic: the bytes are those of encode(). It allocates nothing; the codecs' libraries may.
/// Errors: kUnsupported as by check_codec(), kOutOfMemory, kInternal for buffers that are too small or a box
/// that leaves the block.
Result<Compressed> compress(const CodecSpec& spec, std::span<const std::byte> samples,
                            const BlockShape& shape, const Box& inside, std::span<std::byte> out,
                            std::span<std::byte> scratch);

}  // namespace esker
