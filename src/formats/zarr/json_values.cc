#include "formats/zarr/json_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/model/values.h"
#include "formats/zarr/names.h"
#include "formats/zarr/small_values.h"

namespace esker::zarr {
namespace {

constexpr Index kMostInteger = std::numeric_limits<Index>::max();

/// Zarr's words for numbers that JSON lacks.
std::optional<double> real_of_word(const std::string& word) {
  if (word == kNaN) return std::numeric_limits<double>::quiet_NaN();
  if (word == kInfinity) return std::numeric_limits<double>::infinity();
  if (word == kMinusInfinity) return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

/// The real whose eight bytes this is.
std::optional<double> real_of_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::size_t kDigitsOfReal = 11;
  if (text.size() != kDigitsOfReal + 1 || text.back() != '=') return std::nullopt;
  std::array<unsigned char, 9> bytes{};
  std::size_t bit = 0;
  for (const char digit : text.substr(0, kDigitsOfReal)) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) return std::nullopt;
    for (std::size_t b = 6; b-- > 0; ++bit)
      bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] << 1U | (value >> b & 1U));
  }
  double real = 0;
  std::memcpy(&real, bytes.data(), sizeof(real));
  return real;
}

bool is_real(const Json& json) {
  return json.is_number_float() || (json.is_string() && real_of_word(json.get_ref<const std::string&>()));
}

double real_of(const Json& json) {
  return json.is_string() ? *real_of_word(json.get_ref<const std::string&>()) : json.get<double>();
}

/// The elements of a list, or the value itself; no copies, because destructors of Json allocate.
std::vector<const Json*> values_in(const Json& json) {
  std::vector<const Json*> values;
  if (!json.is_array()) values.push_back(&json);
  for (std::size_t n = 0; json.is_array() && n < json.size(); ++n) values.push_back(&json[n]);
  return values;
}

/// One number or a list of them: reals if one of them is; else integers.
std::optional<AttributeValue> numbers_in(const Json& json) {
  const auto values = values_in(json);
  const auto is_number = [](const Json* one) { return one->is_number() || is_real(*one); };
  if (values.empty() || !std::ranges::all_of(values, is_number)) return std::nullopt;
  if (std::ranges::any_of(values, [](const Json* one) { return is_real(*one); })) {
    std::vector<double> reals;
    for (const Json* one : values) reals.push_back(real_of(*one));
    return reals;
  }
  const auto is_large = [](const Json* one) {
    return one->is_number_unsigned() && one->get<std::uint64_t>() > static_cast<std::uint64_t>(kMostInteger);
  };
  if (std::ranges::any_of(values, is_large)) {
    std::vector<std::uint64_t> integers;
    for (const Json* one : values) integers.push_back(one->get<std::uint64_t>());
    return integers;
  }
  std::vector<Index> integers;
  for (const Json* one : values) integers.push_back(one->get<Index>());
  return integers;
}

/// Nothing if netCDF's model has no such attribute.
std::optional<AttributeValue> value_of(const Json& json) {
  if (json.is_number() || is_real(json)) return numbers_in(json);
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array()) return std::nullopt;
  if (auto numbers = numbers_in(json)) return numbers;
  std::vector<std::string> texts;
  for (const Json& one : json) {
    if (!one.is_string()) return std::nullopt;
    texts.push_back(one.get<std::string>());
  }
  return to_value(std::move(texts));
}

}  // namespace

std::vector<netcdf::Attribute> parse_attributes(const Json& json, std::optional<SampleType> type,
                                                std::vector<std::string>* left_out) {
  std::vector<netcdf::Attribute> attributes;
  for (const auto& item : json.items()) {
    std::optional<AttributeValue> value = value_of(item.value());
    if (type && item.key() == kFillAttribute && value) {
      if (const std::string* text = text_of(*value)) {
        if (const auto real = real_of_base64(*text)) value = std::vector<double>{*real};
      }
      const auto typed = to_type(numbers_of(*value), *type);
      if (typed.ok() && !text_of(*value)) value = to_value(*typed);
    }
    if (value) attributes.push_back(netcdf::to_attribute(item.key(), *value));
    if (!value && left_out) left_out->push_back(item.key());
  }
  return attributes;
}

Result<std::vector<Index>> parse_extents(const Json& json, const char* key, std::size_t rank, Index least) {
  ESKER_ASSIGN_OR_RETURN(std::vector<Index> extents, get_integers(json, key));
  const bool is_small = std::ranges::any_of(extents, [&](Index extent) { return extent < least; });
  if (extents.size() == rank && !is_small) return extents;
  return error(Code::kDataLoss, "'{}': expected {} numbers of at least {}", key, rank, least);
}

Result<std::vector<std::byte>> parse_fill(const Json& json, SampleType type) {
  if (!json.contains("fill_value")) return error(Code::kDataLoss, "'fill_value' is missing");
  const auto value = numbers_in(json["fill_value"]);
  if (value) {
    const auto typed = to_type(numbers_of(*value), type);
    if (typed.ok()) return print_values(*typed, 1, {});
  }
  return error(Code::kDataLoss, "'fill_value' is not a number of the type {}", name(type));
}

Result<Named> parse_named(const Json& json) {
  if (json.is_string()) return Named{json.get<std::string>()};
  if (!json.is_object()) return error(Code::kDataLoss, "expected an object with a name");
  Named named;
  ESKER_ASSIGN_OR_RETURN(named.name, get_text(json, "name"));
  if (json.contains("configuration")) {
    ESKER_ASSIGN_OR_RETURN(named.configuration, get_object(json, "configuration"));
  }
  return named;
}

}  // namespace esker::zarr
