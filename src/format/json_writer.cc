#include "format/json_writer.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "base/text.h"

namespace esker {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

/// The bytes at the beginning of `text` that are one character, or the longest beginning of one, but at least
/// one byte.
std::string_view first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
  // The second byte excludes overlong forms, surrogates and numbers beyond U+10FFFF.
  const unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  std::size_t n = 1;
  while (n < length && n < text.size() && byte(n) >= (n == 1 ? least : 0x80) &&
         byte(n) <= (n == 1 ? most : 0xbf)) {
    ++n;
  }
  return text.substr(0, n);
}

/// The second character of an escape sequence such as \n; 0 if there is none for `c`.
char short_escape(char c) {
  constexpr std::string_view kCharacters = "\b\t\n\f\r\"\\", kEscapes = "btnfr\"\\";
  const std::size_t found = kCharacters.find(c);
  return found == std::string_view::npos ? '\0' : kEscapes[found];
}

}  // namespace

JsonWriter& JsonWriter::key(std::string_view name) {
  begin_element();
  quote(name);
  text_ += indent_ < 0 ? ":" : ": ";
  after_key_ = true;
  return *this;
}

void JsonWriter::text(std::string_view value) {
  begin_element();
  quote(value);
}

void JsonWriter::boolean(bool value) { number(value ? "true" : "false"); }

// The library's conversion: another one may find other digits that are read as the same value.
void JsonWriter::real(double value) {
  std::array<char, 64> digits{};
  if (!std::isfinite(value)) return number("null");
  const char* end = nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value);
  number({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void JsonWriter::reals(const std::vector<double>& values) {
  array([&] {
    for (const double value : values) {
      if (std::isfinite(value))
        real(value);
      else
        text(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
    }
  });
}

void JsonWriter::numbers(const Numbers& values) {
  if (type_of(values) >= SampleType::kFloat32) return reals(to_reals(values));
  const auto write = [&](const auto& list) {
    for (const auto value : list) {
      if constexpr (std::integral<std::remove_cv_t<decltype(value)>>) integer(value);
    }
  };
  array([&] { std::visit(write, values); });
}

void JsonWriter::texts(const std::vector<std::string>& values) {
  array([&] {
    for (const std::string& value : values) text(value);
  });
}

void JsonWriter::open(char bracket) {
  begin_element();
  text_ += bracket;
  ++depth_;
  is_empty_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!is_empty_) begin_line();
  text_ += bracket;
  is_empty_ = false;
}

void JsonWriter::number(std::string_view digits) {
  begin_element();
  text_ += digits;
}

void JsonWriter::begin_element() {
  const bool follows_key = std::exchange(after_key_, false);
  if (follows_key || depth_ == 0) return;
  if (!is_empty_) text_ += ',';
  is_empty_ = false;
  begin_line();
}

void JsonWriter::begin_line() {
  if (indent_ < 0) return;
  text_ += '\n';
  text_.append(static_cast<std::size_t>(depth_) * static_cast<std::size_t>(indent_), ' ');
}

void JsonWriter::quote(std::string_view value) {
  text_ += '"';
  while (!value.empty()) {
    const std::string_view next = first_character(value);
    value.remove_prefix(next.size());
    const char c = next.front();
    if (const char escape = short_escape(c)) {
      text_ += '\\';
      text_ += escape;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      text_ += is_utf8(next) ? next : kReplacement;
    }
  }
  text_ += '"';
}

}  // namespace esker
