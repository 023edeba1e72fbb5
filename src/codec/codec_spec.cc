#include "codec/codec_spec.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/macros.h"

namespace esker {
namespace {

constexpr int kMaxPrecisionBits = 64;
constexpr int kMostKeptBits = 52;       // of float64's mantissa
constexpr double kMinAccuracy = 1e-17;  // printed without exponent

/// The number that is all of `text`, if it is one.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "reversible", "precision=24", "24", "accuracy=0.5", "0.5".
Status parse_zfp_part(std::string_view part, CodecSpec& spec) {
  if (part == "reversible") {
    spec.zfp_mode = ZfpMode::kReversible;
    return {};
  }
  std::string_view number = part.substr(part.find('=') + 1);  // npos + 1 is 0
  const std::string_view key =
      part.size() == number.size() ? "" : part.substr(0, part.size() - number.size() - 1);
  const std::optional<double> parsed = number_in<double>(number);
  const bool is_number = parsed.has_value();
  const double value = parsed.value_or(0);
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

/// Whether the text before a '-' ends in the start of a number with an exponent: "accuracy=1e".
bool ends_in_exponent(std::string_view text) {
  const auto is_digit = [](char c) { return c == '.' || (c >= '0' && c <= '9'); };
  return text.size() >= 2 && (text.back() == 'e' || text.back() == 'E') && is_digit(text[text.size() - 2]);
}

Result<CodecSpec> parse_zfp(std::string_view text) {
  CodecSpec spec;
  spec.kind = CodecKind::kZfp;
  const std::size_t last = text.rfind('-');
  if (last == std::string_view::npos) return spec;
  if (ends_in_exponent(text.substr(0, last))) {
    return error(Code::kUnsupported, "compression '{}': expected numbers without an exponent", text);
  }
  ESKER_RETURN_IF_ERROR(parse_zfp_part(text.substr(last + 1), spec));
  return spec;
}

/// OpenVisus splits the spec at '-'. As many digits as it takes to read the same number back.
std::string without_exponent(double value) {
  std::array<char, 1100> digits{};  // the smallest number has 1074 decimals
  const auto printed = std::to_chars(digits.begin(), digits.end(), value, std::chars_format::fixed);
  const std::string text(digits.data(), printed.ptr);
  return text.find('.') == std::string::npos ? text + ".0" : text;
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
  return "accuracy=" + without_exponent(spec.zfp_parameter);
}

}  // namespace

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
    case CodecKind::kZstd:
      return "zstd";
    case CodecKind::kBitRound:
      return fmt::format("bitround={}", spec.kept_bits);
    case CodecKind::kBlosc:
      return "blosc";
    case CodecKind::kZfp:
      break;
  }
  return "zfp-" + zfp_part(spec) + "-" + zfp_part(spec);
}

namespace {

/// A value of the option `compression`, with the number after its '=': N, an integer, or X.
struct OptionForm {
  std::string_view text;
  CodecKind kind;
  ZfpMode zfp_mode = ZfpMode::kReversible;
  double least = 0, most = 0;  ///< of the number
};

constexpr double kNoLimit = std::numeric_limits<double>::max();
constexpr std::array kOptionForms{
    OptionForm{"none", CodecKind::kRaw},
    OptionForm{"zip", CodecKind::kZip},
    OptionForm{"lz4", CodecKind::kLz4},
    OptionForm{"zfp-reversible", CodecKind::kZfp},
    OptionForm{"zfp-precision=N", CodecKind::kZfp, ZfpMode::kPrecision, 1, kMaxPrecisionBits},
    OptionForm{"zfp-accuracy=X", CodecKind::kZfp, ZfpMode::kAccuracy, kMinAccuracy, kNoLimit},
    OptionForm{"zstd", CodecKind::kZstd},
    OptionForm{"bitround=N", CodecKind::kBitRound, ZfpMode::kReversible, 1, kMostKeptBits},
    OptionForm{"blosc", CodecKind::kBlosc}};

CodecSpec spec_of(const OptionForm& form, double number = 0) {
  CodecSpec spec;
  spec.kind = form.kind;
  spec.zfp_mode = form.zfp_mode;
  if (spec.kind == CodecKind::kBitRound) spec.kept_bits = static_cast<int>(number);
  if (spec.kind == CodecKind::kZfp) spec.zfp_parameter = number;
  return spec;
}

std::optional<CodecSpec> parse_as(const OptionForm& form, std::string_view text) {
  if (form.most == 0) return text == form.text ? std::optional(spec_of(form)) : std::nullopt;
  const std::string_view start = form.text.substr(0, form.text.size() - 1);
  if (!text.starts_with(start)) return std::nullopt;
  text.remove_prefix(start.size());
  const std::optional<double> number =
      form.text.back() == 'N' ? std::optional<double>(number_in<int>(text)) : number_in<double>(text);
  const bool is_valid = number && *number >= form.least && *number <= form.most;
  return is_valid ? std::optional(spec_of(form, *number)) : std::nullopt;
}

std::string describe(const OptionForm& form) {
  if (form.most == 0) return std::string(form.text);
  if (form.most == kNoLimit) return fmt::format("{} ({} or more)", form.text, form.least);
  return fmt::format("{} ({} to {})", form.text, form.least, form.most);
}

/// "a, b, c": the forms of the codecs that are wanted.
template <class Wants>
std::string list_forms(const Wants& wants) {
  std::string list;
  for (const OptionForm& form : kOptionForms) {
    if (wants(spec_of(form))) list += (list.empty() ? "" : ", ") + describe(form);
  }
  return list;
}

}  // namespace

std::string compression_choices() {
  return list_forms([](const CodecSpec& spec) { return spec.is_for_blocks(); }) +
         ", and only in NetCDF-4 and Zarr files " +
         list_forms([](const CodecSpec& spec) { return spec.is_for_chunks() && !spec.is_for_blocks(); }) +
         ", and only in Zarr " +
         list_forms([](const CodecSpec& spec) { return !spec.is_for_chunks() && !spec.is_for_blocks(); });
}

std::string compression_choices(bool (CodecSpec::*is_for)() const) {
  return list_forms([&](const CodecSpec& spec) { return (spec.*is_for)(); });
}

Result<CodecSpec> parse_compression_option(const std::string& text) {
  if (text == "raw") return CodecSpec();
  for (const char* level : {"zip-Z_BEST_SPEED", "zip-Z_BEST_COMPRESSION"}) {
    if (text == level) return parse_codec_spec(text);
  }
  for (const OptionForm& form : kOptionForms) {
    if (const auto spec = parse_as(form, text)) return *spec;
  }
  return error(Code::kInvalidArgument, "compression '{}': expected {}", text, compression_choices());
}

std::string option_text(const CodecSpec& spec) {
  if (spec.kind == CodecKind::kRaw) return "none";
  if (spec.kind != CodecKind::kZfp) return print_codec_spec(spec);
  if (spec.zfp_mode == ZfpMode::kAccuracy) return fmt::format("zfp-accuracy={}", spec.zfp_parameter);
  return "zfp-" + zfp_part(spec);
}

}  // namespace esker
