// Which names netCDF allows.
#include <cstring>
#include <string_view>

#include "definition.h"

namespace esker::pnetcdf {
namespace {

/// The bytes of the character of UTF-8 that begins the text; 0: it is invalid.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  std::size_t n = 0;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) n = 2;
  if (first >= 0xE0 && first <= 0xEF) n = 3;
  if (first >= 0xF0 && first <= 0xF4) n = 4;
  for (std::size_t i = 1; i < n; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  const bool is_overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool is_beyond = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return is_overlong || is_beyond ? 0 : n;
}

bool is_letter_or_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_valid(std::string_view name) {
  const auto first = static_cast<unsigned char>(name.front());
  if (first < 0x80 && !is_letter_or_digit(name.front()) && name.front() != '_') return false;
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t n = character_bytes(rest);
    const char c = rest.front();
    if (n == 0 || (n == 1 && (c < ' ' || c > '~' || c == '/'))) return false;
    rest.remove_prefix(n);
  }
  return name.back() != ' ';
}

}  // namespace

int check_known_name(const char* name) {
  if (name == nullptr || *name == '\0') return NC_EBADNAME;
  return std::strlen(name) > static_cast<std::size_t>(NC_MAX_NAME) ? NC_EMAXNAME : NC_NOERR;
}

int check_new_name(const char* name) {
  const int code = check_known_name(name);
  if (code != NC_NOERR) return code;
  return is_valid(name) ? NC_NOERR : NC_EBADNAME;
}

int find_dim(const cdf::Header& header, const std::string& name) {
  for (std::size_t i = 0; i < header.dims.size(); ++i) {
    if (header.dims[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int find_variable(const cdf::Header& header, const std::string& name) {
  for (std::size_t i = 0; i < header.variables.size(); ++i) {
    if (header.variables[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace esker::pnetcdf
