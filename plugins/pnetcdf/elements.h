// Types of values: in C, in files, and how values are converted between them.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "formats/netcdf/cdf/header.h"

namespace esker::pnetcdf {

using cdf::Type;

/// The type of a file that holds values of the C type T.
template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, char>) {
    return Type::kChar;
  } else if constexpr (std::is_same_v<T, float>) {
    return Type::kFloat;
  } else if constexpr (std::is_same_v<T, double>) {
    return Type::kDouble;
  } else if constexpr (sizeof(T) == 1) {
    return std::is_signed_v<T> ? Type::kByte : Type::kUByte;
  } else if constexpr (sizeof(T) == 2) {
    return std::is_signed_v<T> ? Type::kShort : Type::kUShort;
  } else if constexpr (sizeof(T) == 4) {
    return std::is_signed_v<T> ? Type::kInt : Type::kUInt;
  } else {
    return std::is_signed_v<T> ? Type::kInt64 : Type::kUInt64;
  }
}

/// Whether values can be copied between the types: neither or both are characters.
constexpr bool are_alike(Type a, Type b) { return (a == Type::kChar) == (b == Type::kChar); }

/// CDF-1 and CDF-2 have no unsigned bytes: unsigned char is stored in NC_BYTE unchanged. Returns the type
/// that memory of type `memory` has to be taken for.
Type memory_type_for(Type memory, Type stored, cdf::Version version);

/// Converts `n` values in memory; types that are alike. False: some are beyond the range of `to`, and became
/// `fill`, one value of that type. The range is PnetCDF's: 127.5 is beyond that of NC_BYTE, and infinity
/// beyond that of NC_FLOAT (convert_samples() truncates before it compares, and keeps infinities).
bool convert(Type from, const void* values, Index n, Type to, std::span<const std::byte> fill, void* out);
/// Whether convert() would return true.
bool fits(Type from, const void* values, Index n, Type to);

}  // namespace esker::pnetcdf
