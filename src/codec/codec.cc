#include "codec/codec.h"

#include <charconv>
#include <cmath>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "codec/codecs.h"

namespace esker {
namespace {

constexpr int kMaxPrecisionBits = 64;

/// "reversible", "precision=24", "24", "accuracy=0.5", "0.5".
Status parse_zfp_part(std::string_view part, CodecSpec& spec) {
  if (part == "reversible") {
    spec.zfp_mode = ZfpMode::kReversible;
    return {};
  }
  std::string_view number = part.substr(part.find('=') + 1);  // npos + 1 is 0
  const std::string_view key =
      part.size() == number.size() ? "" : part.substr(0, part.size() - number.size() - 1);
  double value = 0;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number =
      !number.empty() && parsed.ec == std::errc() && parsed.ptr == number.data() + number.size();
  const bool is_integer =
      is_number && number.find('.') == std::string_view::npos && value == std::floor(value);
  if (is_integer && (key == "precision" || key.empty()) && value >= 1 && value <= kMaxPrecisionBits) {
    spec.zfp_mode = ZfpMode::kPrecision;
  } else if (is_number && (key == "accuracy" || (key.empty() && !is_integer)) && std::isfinite(value) &&
             value > 0) {
    spec.zfp_mode = ZfpMode::kAccuracy;
  } else {
    return error(Code::kUnsupported,
                 "zfp parameter '{}': expected reversible, precision=1 ... {} or accuracy=X with X > 0", part,
                 kMaxPrecisionBits);
  }
  spec.zfp_parameter = value;
  return {};
}

Result<CodecSpec> parse_zfp(std::string_view text) {
  CodecSpec spec;
  spec.kind = CodecKind::kZfp;
  const std::size_t last = text.rfind('-');
  if (last == std::string_view::npos) return spec;
  ESKER_RETURN_IF_ERROR(parse_zfp_part(text.substr(last + 1), spec));
  return spec;
}

std::string zfp_part(const CodecSpec& spec) {
  switch (spec.zfp_mode) {
    case ZfpMode::kReversible:
      return "reversible";
    case ZfpMode::kPrecision:
      return fmt::format("precision={}", static_cast<int>(spec.zfp_parameter));
    case ZfpMode::kAccuracy:
      break;
  }
  // No exponent: OpenVisus splits the spec at '-'. Fixed digits, without trailing zeros.
  std::string text = fmt::format("{:.17f}", spec.zfp_parameter);
  while (text.ends_with('0') && !text.ends_with(".0")) text.pop_back();
  return "accuracy=" + text;
}

}  // namespace

Index BlockShape::num_samples() const {
  Index product = 1;
  for (int a = 0; a < rank; ++a) product *= count[a];
  return product;
}

Result<CodecSpec> parse_codec_spec(const std::string& text) {
  CodecSpec spec;
  if (text.empty() || text == "raw") return spec;
  const std::string_view family = std::string_view(text).substr(0, text.find('-'));
  if (family == "zfp") return parse_zfp(text);
  if (text == "lz4") {
    spec.kind = CodecKind::kLz4;
    return spec;
  }
  if (family == "zip") {
    spec.kind = CodecKind::kZip;
    if (text == "zip-Z_BEST_SPEED") spec.zip_level = 1;
    if (text == "zip-Z_BEST_COMPRESSION") spec.zip_level = 9;
    return spec;
  }
  return error(Code::kUnsupported, "compression '{}': expected raw, zip, lz4 or zfp", text);
}

std::string print_codec_spec(const CodecSpec& spec) {
  switch (spec.kind) {
    case CodecKind::kRaw:
      return "";
    case CodecKind::kZip:
      return spec.zip_level == 1   ? "zip-Z_BEST_SPEED"
             : spec.zip_level == 9 ? "zip-Z_BEST_COMPRESSION"
                                   : "zip";
    case CodecKind::kLz4:
      return "lz4";
    case CodecKind::kZfp:
      break;
  }
  return "zfp-" + zfp_part(spec) + "-" + zfp_part(spec);
}

Status check_codec(const CodecSpec& spec, const BlockShape& shape) {
  return spec.kind == CodecKind::kZfp ? zfp_check(shape) : Status();
}

Result<std::vector<std::byte>> encode(const CodecSpec& spec, std::span<const std::byte> samples,
                                      const BlockShape& shape) {
  switch (spec.kind) {
    case CodecKind::kRaw:
      return std::vector<std::byte>(samples.begin(), samples.end());
    case CodecKind::kZip:
      return zip_encode(spec.zip_level, samples);
    case CodecKind::kLz4:
      return lz4_encode(samples);
    case CodecKind::kZfp:
      return zfp_encode(spec, samples, shape);
  }
  return error(Code::kInternal, "unknown codec");
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
  }
  return error(Code::kInternal, "unknown codec");
}

}  // namespace esker
