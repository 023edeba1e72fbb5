// Codec: compresses one block of samples, and decompresses it.
//
//   ESKER_ASSIGN_OR_RETURN(const CodecSpec spec, parse_codec_spec("zfp-reversible-reversible"));
//   ESKER_RETURN_IF_ERROR(decode(spec, stored, shape, samples));
//
// One file per codec; each documents its input and its size limits. Compressed bytes are untrusted: a decoder
// writes exactly shape.size_bytes() bytes or returns kDataLoss. Source: docs/formats/idx.md, section 6.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/sample_type.hpp"
#include "esker/types/status.hpp"

namespace esker {

enum class CodecKind { kRaw, kZip, kLz4, kZfp };

enum class ZfpMode { kReversible, kPrecision, kAccuracy };

/// A codec with its parameters: the text inside default_compression(...).
struct CodecSpec {
  CodecKind kind = CodecKind::kRaw;
  int zip_level = 6;  ///< 1 ... 9
  ZfpMode zfp_mode = ZfpMode::kReversible;
  double zfp_parameter = 0;  ///< bits for kPrecision, absolute error for kAccuracy

  [[nodiscard]] bool lossless() const { return kind != CodecKind::kZfp || zfp_mode == ZfpMode::kReversible; }
  friend bool operator==(const CodecSpec&, const CodecSpec&) = default;
};

/// "", "raw", "zip", "zip-Z_BEST_SPEED", "lz4", "zfp-reversible-reversible", "zfp-precision=24-precision=24",
/// "zfp-accuracy=0.5-accuracy=0.5"; also "zfp" alone (reversible) and single parameters ("zfp-precision=24").
/// The last part of a three-part zfp spec is used, as in OpenVisus. kUnsupported for other names.
Result<CodecSpec> parse_codec_spec(const std::string& text);

/// The spelling that OpenVisus reads; "" for raw.
std::string print_codec_spec(const CodecSpec& spec);

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

/// Fixed-rate zfp, as PIDX stores it: `cells` cells of 4x4x4 samples of `type`, x fastest, one cell after the
/// other. A cell takes bits_per_cell bits, a multiple of 8. kUnsupported for types that zfp does not support,
/// and for rates that zfp cannot keep (too few bits for an exponent, more than the samples have).
Status check_fixed_rate(SampleType type, int bits_per_cell);
Result<std::vector<std::byte>> encode_fixed_rate(SampleType type, int bits_per_cell,
                                                 std::span<const std::byte> cells);
/// kDataLoss unless `stored` holds exactly as many cells as `cells` has room for.
Status decode_fixed_rate(SampleType type, int bits_per_cell, std::span<const std::byte> stored,
                         std::span<std::byte> cells);

}  // namespace esker
