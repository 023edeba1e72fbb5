// The types that one component of a sample can have.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "esker/types/export.h"
#include "esker/types/status.hpp"

namespace esker {

/// Integers of 1, 2, 4 and 8 bytes, signed first, and IEEE 754 floating-point numbers of 4 and 8 bytes.
enum class SampleType : std::uint8_t {
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat32,
  kFloat64,
};

/// Bytes of one component: 1, 2, 4 or 8.
ESKER_API int size_bytes(SampleType type);

/// "int8" ... "uint64", "float32", "float64": the names used by IDX and NumPy.
ESKER_API std::string_view name(SampleType type);

/// The type with this name, in any letter case; also NumPy codes such as "f4". Error: kInvalidArgument.
ESKER_API Result<SampleType> parse_sample_type(std::string_view text);

/// The SampleType of a C++ arithmetic type.
template <class T>
constexpr SampleType sample_type_of() {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "not a sample type");
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? SampleType::kFloat32 : SampleType::kFloat64;
  } else {
    constexpr int log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<SampleType>(2 * log2_size + (std::is_signed_v<T> ? 0 : 1));
  }
}

}  // namespace esker
