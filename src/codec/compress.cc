#include "codec/compress.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "codec/codecs.h"
#include "codec/measure.h"

namespace esker {
namespace {

/// What of `scratch` is aligned for zfp and for samples of every type.
std::span<std::byte> aligned(std::span<std::byte> scratch) {
  const auto past = reinterpret_cast<std::uintptr_t>(scratch.data()) % kStreamAlignment;
  return past == 0 ? scratch : scratch.subspan(kStreamAlignment - past);
}

Compressed stored(Index size, std::span<std::byte> out) {
  std::fill(out.begin() + size, out.begin() + round_up(size, kStreamAlignment), std::byte{});
  return {.size_bytes = size};
}

Status check_buffers(const CodecSpec& spec, std::span<const std::byte> samples, const BlockShape& shape,
                     std::span<std::byte> out, std::span<std::byte> scratch) {
  const auto block_bytes = static_cast<std::size_t>(shape.size_bytes());
  const auto scratch_bytes = static_cast<std::size_t>(compress_scratch_bytes(spec, shape));
  if (samples.size() == block_bytes && out.size() >= block_bytes && scratch.size() >= scratch_bytes)
    return {};
  return error(Code::kInternal,
               "compress: {} bytes of samples, {} of output, {} of scratch, expected {}, {} and {}",
               samples.size(), out.size(), scratch.size(), block_bytes, block_bytes, scratch_bytes);
}

Status check_inside(const Box& inside, const BlockShape& shape) {
  bool is_empty = false, is_within = inside.rank == shape.rank;
  for (int a = 0; a < shape.rank; ++a) {
    is_empty = is_empty || inside.extent(a) == 0;
    is_within = is_within && inside.lo[a] >= 0 && inside.hi[a] <= shape.count[a];
  }
  if (is_empty || is_within) return {};
  return error(Code::kInternal, "compress: the samples inside the grid are not within the block");
}

/// Decodes the stream and measures it. False if the samples have to be stored raw.
Result<bool> measure_stream(const CodecSpec& spec, std::span<const std::byte> stream,
                            std::span<const std::byte> samples, const BlockShape& shape, const Box& inside,
                            std::span<std::byte> decoded, Compressed& block) {
  ESKER_RETURN_IF_ERROR(zfp_decode_own(spec, stream, shape, decoded));
  if (!all_finite(shape.type, decoded)) return false;
  const MeasuredErrors errors = measure_errors(shape, inside, samples, decoded);
  if (spec.zfp_mode == ZfpMode::kAccuracy && errors.max > spec.zfp_parameter) return false;
  block.max_error = rounded_up(errors.max);
  block.rms_error = std::min(rounded_up(errors.rms), block.max_error);
  return std::isfinite(block.max_error);
}

Result<Compressed> compress_by_zfp(const CodecSpec& spec, std::span<const std::byte> samples,
                                   const BlockShape& shape, const Box& inside, std::span<std::byte> out,
                                   std::span<std::byte> scratch) {
  if (!zfp_represents(spec, shape.type, samples)) return Compressed::raw(shape);
  const auto bound = static_cast<std::size_t>(zfp_bound(spec, shape));
  const std::span<std::byte> stream = scratch.first(bound);
  ESKER_ASSIGN_OR_RETURN(const Index size, zfp_encode(spec, samples, shape, stream));
  if (size > room_for(shape)) return Compressed::raw(shape);
  const auto used = stream.first(static_cast<std::size_t>(size));
  Compressed block{.size_bytes = size};
  if (!spec.lossless()) {
    const auto decoded = scratch.subspan(bound, samples.size());
    ESKER_ASSIGN_OR_RETURN(const bool is_good,
                           measure_stream(spec, used, samples, shape, inside, decoded, block));
    if (!is_good) return Compressed::raw(shape);
  }
  std::copy(used.begin(), used.end(), out.begin());
  return block;
}

}  // namespace

Index compress_scratch_bytes(const CodecSpec& spec, const BlockShape& shape) {
  if (spec.kind != CodecKind::kZfp) return 0;
  return kStreamAlignment - 1 + zfp_bound(spec, shape) + (spec.lossless() ? 0 : shape.size_bytes());
}

Result<Compressed> compress(const CodecSpec& spec, std::span<const std::byte> samples,
                            const BlockShape& shape, const Box& inside, std::span<std::byte> out,
                            std::span<std::byte> scratch) {
  ESKER_RETURN_IF_ERROR(check_codec(spec, shape));
  ESKER_RETURN_IF_ERROR(check_buffers(spec, samples, shape, out, scratch));
  ESKER_RETURN_IF_ERROR(check_inside(inside, shape));
  if (spec.kind == CodecKind::kRaw) return Compressed::raw(shape);
  if (spec.kind == CodecKind::kZfp)
    return compress_by_zfp(spec, samples, shape, inside, out, aligned(scratch));
  const auto room = static_cast<std::size_t>(room_for(shape));
  if (room == 0) return Compressed::raw(shape);
  ESKER_ASSIGN_OR_RETURN(const Index size, encode_to(spec, samples, shape, out.first(room)));
  return size == 0 ? Compressed::raw(shape) : stored(size, out);
}

}  // namespace esker
