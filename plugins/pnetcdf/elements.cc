#include "elements.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace esker::pnetcdf {
namespace {

template <class From, class To>
bool is_in_range(From value) {
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    return std::in_range<To>(value);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // The limits of 64-bit integers are not numbers of type double: the next power of two is the first beyond
    // them.
    const double above = std::ldexp(1.0, std::numeric_limits<To>::digits);
    const double at_most = sizeof(To) < 8 ? static_cast<double>(std::numeric_limits<To>::max()) : above;
    const double least = static_cast<double>(std::numeric_limits<To>::min());
    return value >= least && value <= at_most && value < above;
  } else if constexpr (std::is_same_v<From, double> && std::is_same_v<To, float>) {
    const double most = std::numeric_limits<float>::max();
    return !(value > most || value < -most);  // not a number stays so
  } else {
    return true;
  }
}

template <class From, class To>
bool convert_all(const From* values, Index n, To fill, To* out) {
  bool fits = true;
  for (Index i = 0; i < n; ++i) {
    const bool is_inside = is_in_range<From, To>(values[i]);
    out[i] = is_inside ? static_cast<To>(values[i]) : fill;
    fits = fits && is_inside;
  }
  return fits;
}

template <class From, class To>
bool fit_all(const From* values, Index n) {
  for (Index i = 0; i < n; ++i) {
    if (!is_in_range<From, To>(values[i])) return false;
  }
  return true;
}

/// Calls `use` with a null pointer to the C type.
template <class Use>
bool with_c_type(Type type, const Use& use) {
  switch (type) {
    case Type::kByte:
    case Type::kChar:
      return use(static_cast<std::int8_t*>(nullptr));
    case Type::kShort:
      return use(static_cast<std::int16_t*>(nullptr));
    case Type::kInt:
      return use(static_cast<std::int32_t*>(nullptr));
    case Type::kFloat:
      return use(static_cast<float*>(nullptr));
    case Type::kDouble:
      return use(static_cast<double*>(nullptr));
    case Type::kUByte:
      return use(static_cast<std::uint8_t*>(nullptr));
    case Type::kUShort:
      return use(static_cast<std::uint16_t*>(nullptr));
    case Type::kUInt:
      return use(static_cast<std::uint32_t*>(nullptr));
    case Type::kInt64:
      return use(static_cast<std::int64_t*>(nullptr));
    case Type::kUInt64:
      return use(static_cast<std::uint64_t*>(nullptr));
  }
  return true;
}

}  // namespace

Type memory_type_for(Type memory, Type stored, cdf::Version version) {
  const bool is_plain_byte =
      memory == Type::kUByte && stored == Type::kByte && version != cdf::Version::kData64;
  return is_plain_byte ? Type::kByte : memory;
}

bool convert(Type from, const void* values, Index n, Type to, std::span<const std::byte> fill, void* out) {
  if (n == 0) return true;
  if (from == to) {
    std::memcpy(out, values, static_cast<std::size_t>(n * netcdf::size_bytes(to)));
    return true;
  }
  return with_c_type(from, [&]<class From>(From*) {
    return with_c_type(to, [&]<class To>(To*) {
      To instead;
      std::memcpy(&instead, fill.data(), sizeof instead);
      return convert_all(static_cast<const From*>(values), n, instead, static_cast<To*>(out));
    });
  });
}

bool fits(Type from, const void* values, Index n, Type to) {
  if (from == to) return true;
  return with_c_type(from, [&]<class From>(From*) {
    return with_c_type(to,
                       [&]<class To>(To*) { return fit_all<From, To>(static_cast<const From*>(values), n); });
  });
}

}  // namespace esker::pnetcdf
