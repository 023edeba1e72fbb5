#include "codec/codec.h"

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "codec/codecs.h"

namespace esker {

Index BlockShape::num_samples() const {
  Index product = 1;
  for (int a = 0; a < rank; ++a) product *= count[a];
  return product;
}

namespace {

Status check_is_for_blocks(const CodecSpec& spec) {
  if (spec.is_for_blocks()) return {};
  return error(Code::kUnsupported, "compression {}: only {} have it; expected {}", option_text(spec),
               spec.is_for_chunks() ? "NetCDF-4 and Zarr files" : "Zarr arrays",
               compression_choices(&CodecSpec::is_for_blocks));
}

}  // namespace

Status check_codec(const CodecSpec& spec, const BlockShape& shape) {
  ESKER_RETURN_IF_ERROR(check_is_for_blocks(spec));
  return spec.kind == CodecKind::kZfp ? zfp_check(shape.type, shape.components, shape.rank) : Status();
}

Status check_compression(const CodecSpec& spec, SampleType type, int components, int rank) {
  ESKER_RETURN_IF_ERROR(check_is_for_blocks(spec));
  if (spec.kind != CodecKind::kZfp) return {};
  ESKER_RETURN_IF_ERROR(zfp_check(type, components, rank));
  const int most = 8 * size_bytes(type);
  if (spec.zfp_mode != ZfpMode::kPrecision || spec.zfp_parameter <= most) return {};
  return error(Code::kInvalidArgument, "zfp: precision of {} bits for {}, expected at most {}",
               spec.zfp_parameter, name(type), most);
}

Index encoded_bound(const CodecSpec& spec, const BlockShape& shape) {
  switch (spec.kind) {
    case CodecKind::kRaw:
    case CodecKind::kZstd:
    case CodecKind::kBitRound:
    case CodecKind::kBlosc:
      break;
    case CodecKind::kZip:
      return zip_bound(shape.size_bytes());
    case CodecKind::kLz4:
      return lz4_bound(shape.size_bytes());
    case CodecKind::kZfp:
      return zfp_bound(spec, shape);
  }
  return shape.size_bytes();
}

Result<Index> encode_to(const CodecSpec& spec, std::span<const std::byte> samples, const BlockShape& shape,
                        std::span<std::byte> out) {
  switch (spec.kind) {
    case CodecKind::kRaw:
    case CodecKind::kZstd:
    case CodecKind::kBitRound:
    case CodecKind::kBlosc:
      break;
    case CodecKind::kZip:
      return zip_encode(spec.zip_level, samples, out);
    case CodecKind::kLz4:
      return lz4_encode(samples, out);
    case CodecKind::kZfp:
      return zfp_encode(spec, samples, shape, out);
  }
  if (samples.size() > out.size()) return Index{0};
  std::copy(samples.begin(), samples.end(), out.begin());
  return static_cast<Index>(samples.size());
}

Result<std::vector<std::byte>> encode(const CodecSpec& spec, std::span<const std::byte> samples,
                                      const BlockShape& shape) {
  ESKER_RETURN_IF_ERROR(check_codec(spec, shape));
  std::vector<std::byte> stored(static_cast<std::size_t>(encoded_bound(spec, shape)));
  ESKER_ASSIGN_OR_RETURN(const Index size, encode_to(spec, samples, shape, stored));
  if (size == 0) return error(Code::kInternal, "compression of {} bytes failed", samples.size());
  stored.resize(static_cast<std::size_t>(size));
  return stored;
}

// zlib: a match of 258 bytes takes at least two bits. lz4: a byte of a match's length represents 255 bytes.
Status check_stored_size(const CodecSpec& spec, Index stored_bytes, const BlockShape& shape) {
  constexpr Index kMostByZip = 1032, kMostByLz4 = 255;
  const Index block_bytes = shape.size_bytes();
  bool plausible = true;
  switch (spec.kind) {
    case CodecKind::kRaw:
      plausible = stored_bytes == block_bytes;
      break;
    case CodecKind::kZip:
      plausible = div_up(block_bytes, kMostByZip) <= stored_bytes;
      break;
    case CodecKind::kLz4:
      plausible = div_up(block_bytes, kMostByLz4) <= stored_bytes;
      break;
    case CodecKind::kZfp:
      plausible = div_up(zfp_least_bits(shape), 8) <= stored_bytes;
      break;
    case CodecKind::kZstd:
    case CodecKind::kBitRound:
    case CodecKind::kBlosc:
      break;
  }
  if (plausible) return {};
  return error(Code::kDataLoss, "{} stored bytes cannot decode to a block of {} bytes", stored_bytes,
               block_bytes);
}

Status decode(const CodecSpec& spec, std::span<const std::byte> stored, const BlockShape& shape,
              std::span<std::byte> samples) {
  ESKER_RETURN_IF_ERROR(check_codec(spec, shape));
  ESKER_RETURN_IF_ERROR(check_stored_size(spec, static_cast<Index>(stored.size()), shape));
  switch (spec.kind) {
    case CodecKind::kRaw:
      std::copy(stored.begin(), stored.end(), samples.begin());
      return {};
    case CodecKind::kZip:
      return zip_decode(stored, samples);
    case CodecKind::kLz4:
      return lz4_decode(stored, samples);
    case CodecKind::kZfp:
      return zfp_decode(spec, stored, shape, samples);
    case CodecKind::kZstd:
    case CodecKind::kBitRound:
    case CodecKind::kBlosc:
      break;
  }
  return error(Code::kInternal, "unknown codec");
}

}  // namespace esker
