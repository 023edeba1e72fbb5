// Parses words, numbers and names in untrusted text: without exceptions, and independent of the locale.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// Removes white space (and NULs) at both ends.
std::string_view trim(std::string_view text);

/// Removes the first word, up to white space, from `rest` and returns it; empty if there is none.
std::string_view take_word(std::string_view& rest);

/// The complete `text` as an integer; nothing if it is anything else or does not fit.
std::optional<Index> parse_integer(std::string_view text);

/// The integer at the beginning of `text`: 6 for "6.1".
std::optional<Index> parse_leading_integer(std::string_view text);

/// The complete `text` as a real, "nan" and "inf" included.
std::optional<double> parse_real(std::string_view text);

/// Integers separated by white space. kDataLoss for other words, or for more than `max_count`.
Result<std::vector<Index>> parse_integers(std::string_view text, std::size_t max_count);

/// Reals separated by white space or commas. kDataLoss for other words, or for more than `max_count`.
Result<std::vector<double>> parse_reals(std::string_view text, std::size_t max_count);

/// Reals with all their digits, separated by spaces: parse_reals(print_reals(v)) == v.
std::string print_reals(const std::vector<double>& values);

/// The beginning of `text` for an error message: short, printable ASCII, whatever the bytes were.
std::string excerpt(std::string_view text);

/// Whether `text` is well-formed UTF-8 (no surrogates, no overlong forms).
bool is_utf8(std::string_view text);

/// Each byte as the ISO 8859-1 character of that number, in UTF-8; and the reverse, if all characters allow
/// it.
std::string from_latin1(std::string_view bytes);
std::optional<std::string> to_latin1(std::string_view utf8);

/// Joins texts of any content into one, and splits them again.
std::string pack_texts(const std::vector<std::string>& texts);
std::vector<std::string> unpack_texts(const std::string& packed);

/// ASCII letters, digits, '_', '.', '-': the characters allowed in names of schemas, IDX headers and paths.
bool is_name_character(char c);

/// "173.2 MB": three or four digits, units of 1000.
std::string bytes_to_text(double bytes);

/// "1 file", "3 files": the number with the noun in its form for it.
std::string count_of(Index number, std::string_view noun);

}  // namespace esker
