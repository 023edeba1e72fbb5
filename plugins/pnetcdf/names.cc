// Which names netCDF allows.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "definition.h"

namespace esker::pnetcdf {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_valid(std::string_view name) {
  const auto first = static_cast<unsigned char>(name.front());
  if (first < 0x80 && !is_letter_or_digit(name.front()) && name.front() != '_') return false;
  const bool has_forbidden = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x80 && (c < ' ' || c > '~' || c == '/');
  });
  return !has_forbidden && is_utf8(name) && name.back() != ' ';
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
