#include "codec/compress_chunk.h"

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "codec/bit_round.h"
#include "codec/codecs.h"
#include "codec/measure.h"
#include "codec/shuffle.h"

namespace esker {
namespace {

constexpr int kZstdLevel = 3;

/// The part of a box on the axes of more than one sample.
Box without_unit_axes(const Box& box, const BlockShape& chunk) {
  Box kept;
  for (int a = 0; a < chunk.rank; ++a) {
    if (chunk.count[a] == 1) continue;
    kept.lo[kept.rank] = box.lo[a];
    kept.hi[kept.rank++] = box.hi[a];
  }
  return kept;
}

Result<Index> encode_bytes(const CodecSpec& spec, std::span<const std::byte> bytes,
                           std::span<std::byte> out) {
  return spec.kind == CodecKind::kZstd ? zstd_encode(kZstdLevel, bytes, out)
                                       : zip_encode(spec.zip_level, bytes, out);
}

}  // namespace

RoundingErrors round_chunk(int kept_bits, const ChunkSamples& samples, std::span<std::byte> rounded) {
  const BlockShape& shape = samples.shape;
  bit_round(shape.type, kept_bits, samples.fill, samples.bytes, rounded);
  const MeasuredErrors errors = measure_errors(shape, samples.inside, samples.bytes, rounded);
  const float max = rounded_up(errors.max);
  return {max, std::isfinite(errors.rms) ? std::min(rounded_up(errors.rms), max) : max};
}

BlockShape without_unit_axes(const BlockShape& chunk) {
  BlockShape kept{chunk.type, chunk.components};
  for (int a = 0; a < chunk.rank; ++a) {
    if (chunk.count[a] > 1) kept.count[kept.rank++] = chunk.count[a];
  }
  return kept;
}

Status check_chunk_codec(const CodecSpec& spec, const BlockShape& chunk) {
  if (spec.kind == CodecKind::kBitRound) return check_bit_round(chunk.type, spec.kept_bits);
  if (spec.kind == CodecKind::kZfp) {
    return check_compression(spec, chunk.type, chunk.components, without_unit_axes(chunk).rank);
  }
  if (spec.is_for_chunks()) return {};
  return error(Code::kUnsupported, "compression {}: NetCDF-4 files do not have it; expected {}",
               option_text(spec), compression_choices(&CodecSpec::is_for_chunks));
}

Index chunk_scratch_bytes(const CodecSpec& spec, const BlockShape& chunk) {
  if (spec.kind == CodecKind::kZfp) return compress_scratch_bytes(spec, without_unit_axes(chunk));
  const Index copies = spec.kind == CodecKind::kRaw ? 0 : spec.kind == CodecKind::kBitRound ? 2 : 1;
  return copies * round_up(chunk.size_bytes(), kStreamAlignment);
}

Result<Compressed> compress_chunk(const CodecSpec& spec, const ChunkSamples& samples,
                                  std::span<std::byte> out, std::span<std::byte> scratch) {
  const BlockShape& shape = samples.shape;
  if (spec.kind == CodecKind::kZfp) {
    return compress(spec, samples.bytes, without_unit_axes(shape), without_unit_axes(samples.inside, shape),
                    out, scratch);
  }
  Compressed block;
  std::span<const std::byte> values = samples.bytes;
  const auto shuffled = scratch.first(values.size());
  if (spec.kind == CodecKind::kBitRound) {
    const auto rounded = scratch.last(values.size());
    const RoundingErrors errors = round_chunk(spec.kept_bits, samples, rounded);
    block.max_error = errors.max;
    block.rms_error = errors.rms;
    values = rounded;
  }
  shuffle(values, size_bytes(shape.type), shuffled);
  const auto room = static_cast<std::size_t>(room_for(shape));
  ESKER_ASSIGN_OR_RETURN(block.size_bytes, encode_bytes(spec, shuffled, out.first(room)));
  return block.size_bytes == 0 ? Compressed::raw(shape) : block;
}

Status decode_chunk(const CodecSpec& spec, std::span<const std::byte> stored, const BlockShape& chunk,
                    std::span<std::byte> values, std::span<std::byte> scratch) {
  if (spec.kind == CodecKind::kZfp) return zfp_decode(spec, stored, without_unit_axes(chunk), values);
  const auto shuffled = scratch.first(values.size());
  ESKER_RETURN_IF_ERROR(spec.kind == CodecKind::kZstd ? zstd_decode(stored, shuffled)
                                                      : zip_decode(stored, shuffled));
  unshuffle(shuffled, size_bytes(chunk.type), values);
  return {};
}

}  // namespace esker
