// Codec: compresses one block of samples, and decompresses it.
//
//   ESKER_ASSIGN_OR_RETURN(const CodecSpec spec, parse_codec_spec("zfp-reversible-reversible"));
//   ESKER_RETURN_IF_ERROR(decode(spec, stored, shape, samples));
//
// One file per codec; each documents its input and its size limits. Compressed bytes are untrusted: a decoder
// writes exactly shape.size_bytes() bytes or returns kDataLoss. Source: docs/formats/idx.md, section 6.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "codec/codec_spec.h"
#include "esker/types/box.hpp"
#include "esker/types/sample_type.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// The contents of a block: a dense array, x fastest, components innermost.
struct BlockShape {
  SampleType type = SampleType::kFloat32;
  int components = 1;
  int rank = 0;
  Point count{1, 1, 1, 1, 1};

  [[nodiscard]] Index num_samples() const;
  [[nodiscard]] Index size_bytes() const { return num_samples() * components * esker::size_bytes(type); }
};

/// Whether blocks of this shape can be encoded; the Status lists what the codec supports. zfp: float32,
/// float64, int32, int64, one component, 2 or 3 axes.
Status check_codec(const CodecSpec& spec, const BlockShape& shape);

/// Whether fields of this type can be written with this codec on a grid of `rank` axes. For zfp: the limits
/// of check_codec (kUnsupported) and no more bits of precision than the type has (kInvalidArgument). Readers
/// accept more bits. Local; call it on every rank before anything is sent.
Status check_compression(const CodecSpec& spec, SampleType type, int components, int rank);

/// Encodes `samples` (shape.size_bytes() of them). Local, deterministic for one version of the codec's
/// library.
Result<std::vector<std::byte>> encode(const CodecSpec& spec, std::span<const std::byte> samples,
                                      const BlockShape& shape);

/// Whether this number of stored bytes can decode to a block of this shape; kDataLoss if not. Call it before
/// allocating the samples, because a header can claim any shape.
Status check_stored_size(const CodecSpec& spec, Index stored_bytes, const BlockShape& shape);

/// Decodes `stored` to `samples` (shape.size_bytes()). kDataLoss unless the result has exactly that many
/// bytes.
Status decode(const CodecSpec& spec, std::span<const std::byte> stored, const BlockShape& shape,
              std::span<std::byte> samples);

}  // namespace esker
