#include "esker/types/sample_type.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "base/error.h"

namespace esker {
namespace {

struct TypeRow {
  std::string_view name;
  std::string_view numpy_code;
  int size_bytes;
};

// In the order of SampleType.
constexpr std::array<TypeRow, 10> kTypes{{
    {"int8", "i1", 1},
    {"uint8", "u1", 1},
    {"int16", "i2", 2},
    {"uint16", "u2", 2},
    {"int32", "i4", 4},
    {"uint32", "u4", 4},
    {"int64", "i8", 8},
    {"uint64", "u8", 8},
    {"float32", "f4", 4},
    {"float64", "f8", 8},
}};

}  // namespace

int size_bytes(SampleType type) { return kTypes[static_cast<std::size_t>(type)].size_bytes; }

std::string_view name(SampleType type) { return kTypes[static_cast<std::size_t>(type)].name; }

Result<SampleType> parse_sample_type(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (lower == kTypes[i].name || lower == kTypes[i].numpy_code) return static_cast<SampleType>(i);
  }
  return error(Code::kInvalidArgument, "sample type '{}': expected int8 ... uint64, float32 or float64",
               text);
}

}  // namespace esker
