// Owners of zfp's objects, and its names of types; for the sources of this layer.
#pragma once

#include <zfp.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "codec/codec.h"
#include "esker/types/sample_type.hpp"

namespace esker {

struct CloseStream {
  void operator()(zfp_stream* stream) const { ::zfp_stream_close(stream); }
};
struct CloseBits {
  void operator()(bitstream* bits) const { ::stream_close(bits); }
};
struct FreeField {
  void operator()(zfp_field* field) const { ::zfp_field_free(field); }
};
using ZfpStream = std::unique_ptr<zfp_stream, CloseStream>;
using ZfpBits = std::unique_ptr<bitstream, CloseBits>;
using ZfpField = std::unique_ptr<zfp_field, FreeField>;

/// zfp_type_none for types that zfp does not code.
inline zfp_type zfp_type_of(SampleType type) {
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

/// zfp never writes through a field that is only read, but does not accept a const pointer.
inline ZfpField field_of(const BlockShape& shape, const std::byte* samples) {
  void* data = const_cast<std::byte*>(samples);
  const zfp_type type = zfp_type_of(shape.type);
  const auto count = [&](int a) { return static_cast<std::size_t>(shape.count[a]); };
  return ZfpField(shape.rank == 2 ? ::zfp_field_2d(data, type, count(0), count(1))
                                  : ::zfp_field_3d(data, type, count(0), count(1), count(2)));
}

/// zfp reads past the end of a truncated stream; a copy followed by zeros bounds that. The maximum size of a
/// block is what an encoder could have written.
inline std::vector<std::byte> padded(std::span<const std::byte> stored, std::size_t largest) {
  std::vector<std::byte> buffer(std::max(stored.size(), largest) + 64);
  std::copy(stored.begin(), stored.end(), buffer.begin());
  return buffer;
}

/// Attaches the stream to `buffer`, which must outlive the result. Decoding only reads it.
inline ZfpBits attach(std::span<const std::byte> buffer, zfp_stream* stream) {
  ZfpBits bits(::stream_open(const_cast<std::byte*>(buffer.data()), buffer.size()));
  ::zfp_stream_set_bit_stream(stream, bits.get());
  ::zfp_stream_rewind(stream);
  return bits;
}

}  // namespace esker
