#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>

#include "base/error.h"

namespace esker {
namespace {

constexpr std::string_view kSpace(" \t\n\r\f\v\0", 7);
constexpr std::string_view kSpaceOrComma(" \t\n\r\f\v\0,", 8);

std::string_view take_until(std::string_view& rest, std::string_view separators) {
  const std::size_t first = rest.find_first_not_of(separators);
  if (first == std::string_view::npos) return rest = {};
  const std::size_t end = std::min(rest.find_first_of(separators, first), rest.size());
  const std::string_view word = rest.substr(first, end - first);
  rest.remove_prefix(end);
  return word;
}

/// `text` as a number, with an optional leading '+'; `end` receives the rest.
template <class T>
std::optional<T> parse_number(std::string_view text, std::string_view& end) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  T value{};
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{}) return std::nullopt;
  end = text.substr(static_cast<std::size_t>(stop - text.data()));
  return value;
}

template <class T, class Parse>
Result<std::vector<T>> parse_list(std::string_view text, std::size_t max_count, std::string_view separators,
                                  const char* kind, Parse parse) {
  std::vector<T> values;
  for (std::string_view word; !(word = take_until(text, separators)).empty();) {
    const std::optional<T> value = parse(word);
    if (!value) return error(Code::kDataLoss, "expected {}, found '{}'", kind, excerpt(word));
    if (values.size() == max_count) {
      return error(Code::kDataLoss, "expected at most {} numbers, found more", max_count);
    }
    values.push_back(*value);
  }
  return values;
}

}  // namespace

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string_view take_word(std::string_view& rest) { return take_until(rest, kSpace); }

std::optional<Index> parse_integer(std::string_view text) {
  std::string_view end;
  const auto value = parse_number<Index>(text, end);
  return end.empty() ? value : std::nullopt;
}

std::optional<Index> parse_leading_integer(std::string_view text) {
  std::string_view end;
  return parse_number<Index>(trim(text), end);
}

std::optional<double> parse_real(std::string_view text) {
  std::string_view end;
  const auto value = parse_number<double>(text, end);
  return end.empty() ? value : std::nullopt;
}

Result<std::vector<Index>> parse_integers(std::string_view text, std::size_t max_count) {
  return parse_list<Index>(text, max_count, kSpace, "an integer", parse_integer);
}

Result<std::vector<double>> parse_reals(std::string_view text, std::size_t max_count) {
  return parse_list<double>(text, max_count, kSpaceOrComma, "a number", parse_real);
}

std::string print_reals(const std::vector<double>& values) {
  return fmt::format("{}", fmt::join(values, " "));
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kMaxShown = 60;
  std::string shown(text.substr(0, kMaxShown));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > kMaxShown ? shown + "..." : shown;
}

bool is_utf8(std::string_view text) {
  // Per lead byte: number of continuation bytes, and the smallest code point that needs that many.
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    const int more = lead < 0x80 ? 0 : lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : -1;
    if (more < 0 || text.size() - i < static_cast<std::size_t>(more)) return false;
    if (more == 0) continue;
    std::uint32_t point = lead & (0x3fU >> more);
    for (int k = 0; k < more; ++k) {
      const auto next = static_cast<unsigned char>(text[i++]);
      if (next >> 6 != 2) return false;
      point = point << 6 | (next & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 4> kLeast{0, 0x80, 0x800, 0x10000};
    if (point < kLeast[static_cast<std::size_t>(more)] || point > 0x10ffff) return false;
    if (point >= 0xd800 && point < 0xe000) return false;
  }
  return true;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-';
}

// Each text is stored as "length:text".
std::string from_latin1(std::string_view bytes) {
  std::string utf8;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xC0 | (byte >> 6));
      utf8 += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return utf8;
}

std::optional<std::string> to_latin1(std::string_view utf8) {
  if (!is_utf8(utf8)) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    if (byte < 0x80) {
      bytes += utf8[i];
    } else if (byte == 0xC2 || byte == 0xC3) {
      bytes += static_cast<char>((byte & 0x03) << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3F));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

std::string pack_texts(const std::vector<std::string>& texts) {
  std::string packed;
  for (const std::string& text : texts) packed += std::to_string(text.size()) + ":" + text;
  return packed;
}

std::vector<std::string> unpack_texts(const std::string& packed) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < packed.size();) {
    const std::size_t colon = packed.find(':', at);
    const auto length = static_cast<std::size_t>(std::stoull(packed.substr(at, colon - at)));
    texts.push_back(packed.substr(colon + 1, length));
    at = colon + 1 + length;
  }
  return texts;
}

std::string bytes_to_text(double bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string count_of(Index number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace esker
