// Values of attributes: texts, and numbers of any type.
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "esker/types/schema.hpp"

namespace esker {
namespace {

bool is_text(const std::string& s) { return is_utf8(s) && s.find('\0') == std::string::npos; }

template <class T>
inline constexpr bool kIsList = std::is_constructible_v<Numbers, T>;

/// Converts an integer to another type; false if that type has no such value.
template <class To, class From>
bool convert_integer(From value, To& to) {
  if constexpr (std::is_floating_point_v<To>) {
    to = static_cast<To>(value);
    // 2^63 and 2^64 are no values of From
    constexpr auto kEnd = static_cast<To>(std::numeric_limits<From>::max() / 2 + 1) * 2;
    return to < kEnd && static_cast<From>(to) == value;
  } else {
    if (!std::in_range<To>(value)) return false;
    to = static_cast<To>(value);
    return true;
  }
}

/// Converts a real to another type; false if that type has no such value.
template <class To, class From>
bool convert_real(From value, To& to) {
  if constexpr (std::is_floating_point_v<To>) {
    to = static_cast<To>(value);
    return std::isfinite(to) || !std::isfinite(value);
  } else {
    constexpr auto kEnd = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * 2;
    const bool fits = value >= static_cast<From>(std::numeric_limits<To>::min()) && value < kEnd &&
                      value == std::trunc(value);
    if (fits) to = static_cast<To>(value);
    return fits;
  }
}

template <class To>
Result<Numbers> converted_to(const Numbers& numbers) {
  std::vector<To> converted;
  Status status;
  std::visit(
      [&](const auto& list) {
        using From = typename std::decay_t<decltype(list)>::value_type;
        for (const From value : list) {
          To& to = converted.emplace_back();
          bool fits = false;
          if constexpr (std::is_floating_point_v<From>) {
            fits = convert_real(value, to);
          } else {
            fits = convert_integer(value, to);
          }
          if (!fits && status.ok()) {
            status = error(Code::kOutOfRange, "type {} cannot hold the value {}", name(sample_type_of<To>()),
                           value);
          }
        }
      },
      numbers);
  if (!status.ok()) return status;
  return Numbers(std::move(converted));
}

}  // namespace

Status check_attribute(const std::string& name, const AttributeValue& value) {
  constexpr std::size_t kMaxAttributeNameBytes = 256;
  if (name.empty() || name.size() > kMaxAttributeNameBytes || !is_text(name)) {
    return error(Code::kInvalidArgument, "attribute name '{}': expected 1 to {} bytes of UTF-8",
                 excerpt(name), kMaxAttributeNameBytes);
  }
  if (const std::string* text = text_of(value)) {
    if (is_text(*text)) return {};
    return error(Code::kInvalidArgument, "attribute '{}': '{}' is not UTF-8 text", excerpt(name),
                 excerpt(*text));
  }
  if (std::visit([](const auto& list) { return !list.empty(); }, numbers_of(value))) return {};
  return error(Code::kInvalidArgument, "attribute '{}': expected one number or more, found none",
               excerpt(name));
}

TextList::TextList(std::vector<std::string> list) : texts(std::move(list)) {
  for (const std::string& text : texts) joined += (&text == texts.data() ? "" : "\n") + text;
}

const std::string* text_of(const AttributeValue& value) {
  if (const auto* list = std::get_if<TextList>(&value)) return &list->joined;
  if (const auto* stored = std::get_if<StoredText>(&value)) return &stored->text;
  return std::get_if<std::string>(&value);
}

Numbers numbers_of(const AttributeValue& value) {
  return std::visit(
      [](const auto& list) -> Numbers {
        if constexpr (kIsList<std::decay_t<decltype(list)>>) {
          return list;
        } else {
          return std::vector<double>();
        }
      },
      value);
}

AttributeValue to_value(const Numbers& numbers) {
  return std::visit([](const auto& list) { return AttributeValue(list); }, numbers);
}

AttributeValue to_value(std::vector<std::string> texts) {
  if (texts.size() < 2) return texts.empty() ? std::string() : std::move(texts[0]);
  return TextList(std::move(texts));
}

SampleType type_of(const Numbers& numbers) { return static_cast<SampleType>(numbers.index()); }

std::vector<double> to_reals(const Numbers& numbers) {
  return std::visit(
      [](const auto& list) {
        std::vector<double> reals;
        reals.reserve(list.size());
        for (const auto value : list) reals.push_back(static_cast<double>(value));
        return reals;
      },
      numbers);
}

Result<Numbers> to_type(const Numbers& numbers, SampleType type) {
  switch (type) {
    case SampleType::kInt8:
      return converted_to<std::int8_t>(numbers);
    case SampleType::kUint8:
      return converted_to<std::uint8_t>(numbers);
    case SampleType::kInt16:
      return converted_to<std::int16_t>(numbers);
    case SampleType::kUint16:
      return converted_to<std::uint16_t>(numbers);
    case SampleType::kInt32:
      return converted_to<std::int32_t>(numbers);
    case SampleType::kUint32:
      return converted_to<std::uint32_t>(numbers);
    case SampleType::kInt64:
      return converted_to<std::int64_t>(numbers);
    case SampleType::kUint64:
      return converted_to<std::uint64_t>(numbers);
    case SampleType::kFloat32:
      return converted_to<float>(numbers);
    case SampleType::kFloat64:
      return converted_to<double>(numbers);
  }
  return error(Code::kInvalidArgument, "type {} does not exist", static_cast<int>(type));
}

}  // namespace esker
