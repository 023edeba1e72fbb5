// CodecSpec: a codec with its parameters, and its spellings.
#pragma once

#include <string>

#include "esker/types/status.hpp"

namespace esker {

/// kZstd and kBitRound are only in chunks of NetCDF-4 and Zarr files, kBlosc only in those of Zarr.
/// kBitRound: rounded floats, which NetCDF-4 compresses as kZip and Zarr as kZstd.
enum class CodecKind { kRaw, kZip, kLz4, kZfp, kZstd, kBitRound, kBlosc };

enum class ZfpMode { kReversible, kPrecision, kAccuracy };

/// A codec with its parameters: the text inside default_compression(...).
struct CodecSpec {
  CodecKind kind = CodecKind::kRaw;
  int zip_level = 6;  ///< 1 ... 9
  int kept_bits = 0;  ///< kBitRound: of the mantissa
  ZfpMode zfp_mode = ZfpMode::kReversible;
  double zfp_parameter = 0;  ///< bits for kPrecision, absolute error for kAccuracy

  [[nodiscard]] bool lossless() const {
    return kind != CodecKind::kBitRound && (kind != CodecKind::kZfp || zfp_mode == ZfpMode::kReversible);
  }
  /// Whether IDX datasets have it.
  [[nodiscard]] bool is_for_blocks() const {
    return kind != CodecKind::kZstd && kind != CodecKind::kBitRound && kind != CodecKind::kBlosc;
  }
  /// Whether chunks of NetCDF-4 files have it.
  [[nodiscard]] bool is_for_chunks() const { return kind != CodecKind::kLz4 && kind != CodecKind::kBlosc; }
  /// Whether chunks of Zarr arrays have it.
  [[nodiscard]] bool is_for_zarr() const { return kind != CodecKind::kLz4 && kind != CodecKind::kZfp; }
  friend bool operator==(const CodecSpec&, const CodecSpec&) = default;
};

/// "", "raw", "zip", "zip-Z_BEST_SPEED", "lz4", "zfp-reversible-reversible", "zfp-precision=24-precision=24",
/// "zfp-accuracy=0.5-accuracy=0.5"; also "zfp" alone (reversible) and single parameters ("zfp-precision=24").
/// The last part of a three-part zfp spec is used, as in OpenVisus. kUnsupported for other names, and for
/// exponents with a sign ("accuracy=1e-3"), because '-' separates the parts.
Result<CodecSpec> parse_codec_spec(const std::string& text);

/// The spelling that OpenVisus reads; "" for raw.
std::string print_codec_spec(const CodecSpec& spec);

/// What users write in the option `compression`: "none", "zip", "lz4", "zfp-reversible", "zfp-precision=24",
/// "zfp-accuracy=1e-3", "bitround=12", "zstd", "blosc"; also "raw", "zip-Z_BEST_SPEED" and
/// "zip-Z_BEST_COMPRESSION". kInvalidArgument for other texts, with a list of the valid ones. What is for
/// blocks can be printed for OpenVisus without loss: parse_codec_spec(print_codec_spec(x)) == x.
Result<CodecSpec> parse_compression_option(const std::string& text);

/// For messages: what the option takes, with the limits of numbers. `is_for`: only what blocks or chunks
/// have.
std::string compression_choices();
std::string compression_choices(bool (CodecSpec::*is_for)() const);

/// The short spelling; parse_compression_option reads it back.
std::string option_text(const CodecSpec& spec);

}  // namespace esker
