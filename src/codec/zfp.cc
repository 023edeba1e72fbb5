// zfp 1.0 streams without a header: float32, float64, int32, int64, one component, 2 or 3 axes.
//
// Streams are padded with zeros to a multiple of 8 bytes, as OpenVisus does. Fixed-rate streams are not
// padded, as in PIDX.
#include <zfp.h>

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

namespace esker {
namespace {

struct CloseStream {
  void operator()(zfp_stream* stream) const { ::zfp_stream_close(stream); }
};
struct CloseBits {
  void operator()(bitstream* bits) const { ::stream_close(bits); }
};
struct FreeField {
  void operator()(zfp_field* field) const { ::zfp_field_free(field); }
};
using Stream = std::unique_ptr<zfp_stream, CloseStream>;
using Bits = std::unique_ptr<bitstream, CloseBits>;
using FieldPointer = std::unique_ptr<zfp_field, FreeField>;

zfp_type zfp_type_of(SampleType type) {
  switch (type) {
    case SampleType::kInt32:
      return zfp_type_int32;
    case SampleType::kInt64:
      return zfp_type_int64;
    case SampleType::kFloat32:
      return zfp_type_float;
    case SampleType::kFloat64:
      return zfp_type_double;
    default:
      return zfp_type_none;
  }
}

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

/// zfp never writes through a field that is only read, but does not accept a const pointer.
FieldPointer field_of(const BlockShape& shape, const std::byte* samples) {
  void* data = const_cast<std::byte*>(samples);
  const zfp_type type = zfp_type_of(shape.type);
  const auto count = [&](int a) { return static_cast<std::size_t>(shape.count[a]); };
  return FieldPointer(shape.rank == 2 ? ::zfp_field_2d(data, type, count(0), count(1))
                                      : ::zfp_field_3d(data, type, count(0), count(1), count(2)));
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

/// zfp reads past the end of a truncated stream; a copy followed by zeros bounds that. The maximum size of a
/// block is what an encoder could have written.
std::vector<std::byte> padded(std::span<const std::byte> stored, std::size_t largest) {
  std::vector<std::byte> buffer(std::max(stored.size(), largest) + 64);
  std::copy(stored.begin(), stored.end(), buffer.begin());
  return buffer;
}

/// Attaches the stream to `buffer`, which must outlive the result. Decoding only reads it.
Bits attach(std::span<const std::byte> buffer, zfp_stream* stream) {
  Bits bits(::stream_open(const_cast<std::byte*>(buffer.data()), buffer.size()));
  ::zfp_stream_set_bit_stream(stream, bits.get());
  ::zfp_stream_rewind(stream);
  return bits;
}

/// Decodes the stream at the start of `buffer`; kDataLoss if it takes more than `stored_size` bytes.
Status decode_within(const CodecSpec& spec, std::span<const std::byte> buffer, std::size_t stored_size,
                     const BlockShape& shape, std::span<std::byte> samples) {
  const Stream stream(::zfp_stream_open(nullptr));
  set_mode(stream.get(), spec);
  const FieldPointer field = field_of(shape, samples.data());
  const Bits bits = attach(buffer, stream.get());
  const std::size_t used = ::zfp_decompress(stream.get(), field.get());
  const auto whole = static_cast<std::size_t>(round_up(static_cast<Index>(stored_size), 8));
  if (used > 0 && used <= whole) return {};
  return error(Code::kDataLoss, "zfp: {} stored bytes do not decode to {} (zfp used {})", stored_size,
               samples.size(), used);
}

constexpr Index kCellSamples = 64;

/// Consecutive cells of 4x4x4 samples are an array of 4 x 4 x 4n samples, which zfp codes cell by cell.
BlockShape shape_of_cells(SampleType type, std::span<const std::byte> cells) {
  const Index count = static_cast<Index>(cells.size()) / (kCellSamples * size_bytes(type));
  return {type, 1, 3, {4, 4, 4 * count, 1, 1}};
}

/// Bytes of the stream of all cells; kInternal if `cells` does not hold complete cells.
Result<std::size_t> fixed_rate_bytes(const BlockShape& shape, int bits_per_cell,
                                     std::span<const std::byte> cells) {
  ESKER_RETURN_IF_ERROR(check_fixed_rate(shape.type, bits_per_cell));
  if (cells.empty() || static_cast<std::size_t>(shape.size_bytes()) != cells.size()) {
    return error(Code::kInternal, "zfp: {} bytes are not a whole number of {} cells", cells.size(),
                 name(shape.type));
  }
  return static_cast<std::size_t>(shape.num_samples() / kCellSamples * (bits_per_cell / 8));
}

void set_fixed_rate(zfp_stream* stream, SampleType type, int bits_per_cell) {
  ::zfp_stream_set_rate(stream, static_cast<double>(bits_per_cell) / kCellSamples, zfp_type_of(type), 3,
                        zfp_false);
}

}  // namespace

Status check_fixed_rate(SampleType type, int bits_per_cell) {
  ESKER_RETURN_IF_ERROR(zfp_check(type, 1, 3));
  const Index most = kCellSamples * 8 * size_bytes(type);
  if (bits_per_cell > 0 && bits_per_cell <= most && bits_per_cell % 8 == 0) {
    const Stream stream(::zfp_stream_open(nullptr));
    set_fixed_rate(stream.get(), type, bits_per_cell);
    if (stream->maxbits == static_cast<uint>(bits_per_cell)) return {};
  }
  return error(Code::kUnsupported,
               "zfp: {} bits for 64 samples of {}, expected a multiple of 8 from 16 to {}", bits_per_cell,
               name(type), most);
}

Result<std::vector<std::byte>> encode_fixed_rate(SampleType type, int bits_per_cell,
                                                 std::span<const std::byte> cells) {
  const BlockShape shape = shape_of_cells(type, cells);
  ESKER_ASSIGN_OR_RETURN(const std::size_t bytes, fixed_rate_bytes(shape, bits_per_cell, cells));
  const Stream stream(::zfp_stream_open(nullptr));
  set_fixed_rate(stream.get(), type, bits_per_cell);
  const FieldPointer field = field_of(shape, cells.data());
  std::vector<std::byte> stored(::zfp_stream_maximum_size(stream.get(), field.get()));
  const Bits bits = attach(stored, stream.get());
  const std::size_t size = ::zfp_compress(stream.get(), field.get());
  if (size < bytes)
    return error(Code::kInternal, "zfp: compression returned {} bytes, expected {}", size, bytes);
  stored.resize(bytes);  // after the cells there is only the rest of a word
  return stored;
}

Status decode_fixed_rate(SampleType type, int bits_per_cell, std::span<const std::byte> stored,
                         std::span<std::byte> cells) {
  const BlockShape shape = shape_of_cells(type, cells);
  ESKER_ASSIGN_OR_RETURN(const std::size_t bytes, fixed_rate_bytes(shape, bits_per_cell, cells));
  if (stored.size() != bytes) {
    return error(Code::kDataLoss, "zfp: {} stored bytes, expected {} for {} samples", stored.size(), bytes,
                 shape.num_samples());
  }
  const Stream stream(::zfp_stream_open(nullptr));
  set_fixed_rate(stream.get(), type, bits_per_cell);
  const FieldPointer field = field_of(shape, cells.data());
  const std::vector<std::byte> buffer = padded(stored, ::zfp_stream_maximum_size(stream.get(), field.get()));
  const Bits bits = attach(buffer, stream.get());
  if (::zfp_decompress(stream.get(), field.get()) > 0) return {};
  return error(Code::kDataLoss, "zfp: {} stored bytes do not decode to {}", stored.size(), cells.size());
}

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
  const Stream stream(::zfp_stream_open(nullptr));
  set_mode(stream.get(), spec);
  const FieldPointer field = field_of(shape, nullptr);
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
  const Stream stream(::zfp_stream_open(nullptr));
  set_mode(stream.get(), spec);
  const FieldPointer field = field_of(shape, nullptr);
  const Bits bits = attach(buffer, stream.get());
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
  const Stream stream(::zfp_stream_open(nullptr));
  const FieldPointer field(::zfp_field_alloc());
  std::vector<std::byte> values;
  {
    const Bits bits = attach(buffer, stream.get());
    if (::zfp_read_header(stream.get(), field.get(), ZFP_HEADER_FULL) > 0) {
      values.resize(plausible_bytes(field.get(), stored.size()));
    }
  }
  if (!values.empty()) {
    ::zfp_field_set_pointer(field.get(), values.data());
    const auto streams = padded(stored, ::zfp_stream_maximum_size(stream.get(), field.get()));
    const Bits bits = attach(streams, stream.get());
    if (::zfp_decompress(stream.get(), field.get()) > 0) return values;
  }
  return error(Code::kDataLoss, "zfp: {} stored bytes do not decode", stored.size());
}

Result<Index> zfp_encode(const CodecSpec& spec, std::span<const std::byte> samples, const BlockShape& shape,
                         std::span<std::byte> out) {
  ESKER_RETURN_IF_ERROR(zfp_check(shape.type, shape.components, shape.rank));
  const Stream stream(::zfp_stream_open(nullptr));
  set_mode(stream.get(), spec);
  const FieldPointer field = field_of(shape, samples.data());
  const Bits bits = attach(out, stream.get());
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
