// zfp 1.0 streams without a header: float32, float64, int32, int64, one component, 2 or 3 axes.
//
// Streams are padded with zeros to a multiple of 8 bytes, as OpenVisus does.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "codec/codecs.h"
#include "codec/measure.h"
#include "codec/zfp_stream.h"

namespace esker {
namespace {

void set_mode(zfp_stream* stream, const CodecSpec& spec) {
  switch (spec.zfp_mode) {
    case ZfpMode::kReversible:
      return ::zfp_stream_set_reversible(stream);
    case ZfpMode::kPrecision:
      ::zfp_stream_set_precision(stream, static_cast<uint>(spec.zfp_parameter));
      return;
    case ZfpMode::kAccuracy:
      ::zfp_stream_set_accuracy(stream, spec.zfp_parameter);
      return;
  }
}

/// Whether the bit below the sign equals the sign in all integers: zfp's transform needs that bit.
template <class Bits>
bool has_spare_bit(std::span<const std::byte> values) {
  Bits differences = 0;
  for (std::size_t i = 0; i + sizeof(Bits) <= values.size(); i += sizeof(Bits)) {
    Bits value;
    std::memcpy(&value, values.data() + i, sizeof(Bits));
    differences |= value ^ (value << 1);
  }
  return differences >> (8 * sizeof(Bits) - 1) == 0;
}

/// Decodes the stream at the start of `buffer`; kDataLoss if it takes more than `stored_size` bytes.
Status decode_within(const CodecSpec& spec, std::span<const std::byte> buffer, std::size_t stored_size,
                     const BlockShape& shape, std::span<std::byte> samples) {
  const ZfpStream stream(::zfp_stream_open(nullptr));
  set_mode(stream.get(), spec);
  const ZfpField field = field_of(shape, samples.data());
  const ZfpBits bits = attach(buffer, stream.get());
  const std::size_t used = ::zfp_decompress(stream.get(), field.get());
  const auto whole = static_cast<std::size_t>(round_up(static_cast<Index>(stored_size), 8));
  if (used > 0 && used <= whole) return {};
  return error(Code::kDataLoss, "zfp: {} stored bytes do not decode to {} (zfp used {})", stored_size,
               samples.size(), used);
}

}  // namespace

Status zfp_check(SampleType type, int components, int rank) {
  if (zfp_type_of(type) == zfp_type_none) {
    return error(Code::kUnsupported, "zfp: values of type {}, expected float32, float64, int32 or int64",
                 name(type));
  }
  if (components != 1) {
    return error(Code::kUnsupported, "zfp: {} components, expected 1 (split the field into scalar fields)",
                 components);
  }
  if (rank == 2 || rank == 3) return {};
  return error(Code::kUnsupported, "zfp: a grid of {} dimension{}, expected 2 or 3", rank,
               rank == 1 ? "" : "s");
}

bool zfp_represents(const CodecSpec& spec, SampleType type, std::span<const std::byte> samples) {
  if (spec.lossless()) return all_finite(type, samples);
  if (type == SampleType::kInt32) return has_spare_bit<std::uint32_t>(samples);
  if (type == SampleType::kInt64) return has_spare_bit<std::uint64_t>(samples);
  return all_finite(type, samples);
}

Index zfp_least_bits(const BlockShape& shape) {
  Index blocks = 1;
  for (int a = 0; a < shape.rank; ++a) blocks *= div_up(shape.count[a], 4);
  return blocks;
}

Index zfp_bound(const CodecSpec& spec, const BlockShape& shape) {
  const ZfpStream stream(::zfp_stream_open(nullptr));
  set_mode(stream.get(), spec);
  const ZfpField field = field_of(shape, nullptr);
  return round_up(static_cast<Index>(::zfp_stream_maximum_size(stream.get(), field.get())), 8);
}

std::uint32_t zfp_versions() {
  constexpr unsigned kLibrary =
      ZFP_VERSION_MAJOR << 12 | ZFP_VERSION_MINOR << 8 | ZFP_VERSION_PATCH << 4 | ZFP_VERSION_TWEAK;
  return kLibrary << 4 | ZFP_CODEC;
}

std::vector<std::uint32_t> zfp_header(const CodecSpec& spec, const BlockShape& shape) {
  constexpr std::size_t kMostBytes = 64;
  std::vector<std::byte> buffer(kMostBytes);
  const ZfpStream stream(::zfp_stream_open(nullptr));
  set_mode(stream.get(), spec);
  const ZfpField field = field_of(shape, nullptr);
  const ZfpBits bits = attach(buffer, stream.get());
  const std::size_t num_bits = ::zfp_write_header(stream.get(), field.get(), ZFP_HEADER_FULL);
  ::zfp_stream_flush(stream.get());
  std::vector<std::uint32_t> header(kMostBytes / sizeof(std::uint32_t));
  std::memcpy(header.data(), buffer.data(), kMostBytes);
  header.resize((num_bits + 31) / 32);
  return header;
}

namespace {

/// Bytes of the samples of a field that a header describes; 0 if that many cannot be in `stored_bytes`: zfp
/// uses at least one bit for each 4 (x 4 x 4 x 4) samples.
std::size_t plausible_bytes(const zfp_field* field, std::size_t stored_bytes) {
  std::optional<Index> blocks = 1, bytes = static_cast<Index>(::zfp_type_size(::zfp_field_type(field)));
  for (const std::size_t extent : {field->nx, field->ny, field->nz, field->nw}) {
    const auto count = static_cast<Index>(std::max<std::size_t>(1, extent));
    if (blocks) blocks = checked_mul(*blocks, div_up(count, 4));
    if (bytes) bytes = checked_mul(*bytes, count);
  }
  const bool is_plausible = blocks && bytes && *blocks / 8 <= static_cast<Index>(stored_bytes);
  return is_plausible ? static_cast<std::size_t>(*bytes) : 0;
}

}  // namespace

Result<std::vector<std::byte>> zfp_decode_by_header(std::span<const std::uint32_t> header,
                                                    std::span<const std::byte> stored) {
  constexpr std::size_t kMostBytes = 64;
  const auto given = std::as_bytes(header).first(std::min(header.size_bytes(), kMostBytes));
  const std::vector<std::byte> buffer = padded(given, kMostBytes);
  const ZfpStream stream(::zfp_stream_open(nullptr));
  const ZfpField field(::zfp_field_alloc());
  std::vector<std::byte> values;
  {
    const ZfpBits bits = attach(buffer, stream.get());
    if (::zfp_read_header(stream.get(), field.get(), ZFP_HEADER_FULL) > 0) {
      values.resize(plausible_bytes(field.get(), stored.size()));
    }
  }
  if (!values.empty()) {
    ::zfp_field_set_pointer(field.get(), values.data());
    const auto streams = padded(stored, ::zfp_stream_maximum_size(stream.get(), field.get()));
    const ZfpBits bits = attach(streams, stream.get());
    if (::zfp_decompress(stream.get(), field.get()) > 0) return values;
  }
  return error(Code::kDataLoss, "zfp: {} stored bytes do not decode", stored.size());
}

Result<Index> zfp_encode(const CodecSpec& spec, std::span<const std::byte> samples, const BlockShape& shape,
                         std::span<std::byte> out) {
  ESKER_RETURN_IF_ERROR(zfp_check(shape.type, shape.components, shape.rank));
  const ZfpStream stream(::zfp_stream_open(nullptr));
  set_mode(stream.get(), spec);
  const ZfpField field = field_of(shape, samples.data());
  const ZfpBits bits = attach(out, stream.get());
  const std::size_t size = ::zfp_compress(stream.get(), field.get());
  if (size == 0) return error(Code::kInternal, "zfp: compression of {} bytes failed", samples.size());
  const Index padded_size = round_up(static_cast<Index>(size), 8);
  std::fill(out.begin() + static_cast<Index>(size), out.begin() + padded_size, std::byte{});
  return padded_size;
}

Status zfp_decode(const CodecSpec& spec, std::span<const std::byte> stored, const BlockShape& shape,
                  std::span<std::byte> samples) {
  return decode_within(spec, padded(stored, static_cast<std::size_t>(zfp_bound(spec, shape))), stored.size(),
                       shape, samples);
}

Status zfp_decode_own(const CodecSpec& spec, std::span<const std::byte> stream, const BlockShape& shape,
                      std::span<std::byte> samples) {
  return decode_within(spec, stream, stream.size(), shape, samples);
}

}  // namespace esker
