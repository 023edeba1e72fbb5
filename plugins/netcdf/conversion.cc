#include "conversion.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace esker::netcdf_plugin {
namespace {

using netcdf::Type;

/// Calls `action` with a value of the C++ type of a netCDF type of numbers. false: there is none.
template <class Action>
bool with_type(nc_type type, const Action& action) {
  switch (type) {
    case NC_BYTE:
      return action(std::int8_t{}), true;
    case NC_UBYTE:
      return action(std::uint8_t{}), true;
    case NC_SHORT:
      return action(std::int16_t{}), true;
    case NC_USHORT:
      return action(std::uint16_t{}), true;
    case NC_INT:
      return action(std::int32_t{}), true;
    case NC_UINT:
      return action(std::uint32_t{}), true;
    case NC_INT64:
      return action(std::int64_t{}), true;
    case NC_UINT64:
      return action(std::uint64_t{}), true;
    case NC_FLOAT:
      return action(float{}), true;
    case NC_DOUBLE:
      return action(double{}), true;
    default:
      return false;
  }
}

/// Whether a value is in the range of a type, apart from its rounding. Infinities and NaN fit the real types.
template <class To, class From>
bool fits(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    if constexpr (!std::is_floating_point_v<From>) {
      return true;
    } else {
      return !std::isfinite(value) || std::isfinite(static_cast<To>(value));
    }
  } else if constexpr (std::is_floating_point_v<From>) {
    // 2^n is exact in From, and the largest integer may not be.
    const From end = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    const From least = std::is_signed_v<To> ? -end : From{0};
    return std::trunc(value) >= least && value < end;
  } else {
    return std::in_range<To>(value);
  }
}

template <class From, class To>
int convert_all(const std::byte* values, std::size_t count, void* out) {
  int status = NC_NOERR;
  for (std::size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, values + i * sizeof value, sizeof value);
    To result{};
    if (fits<To>(value)) {
      result = static_cast<To>(value);
    } else {
      status = NC_ERANGE;
    }
    std::memcpy(static_cast<std::byte*>(out) + i * sizeof result, &result, sizeof result);
  }
  return status;
}

}  // namespace

int convert(Type from, const std::byte* values, std::size_t count, nc_type to, void* out) {
  const auto from_type = static_cast<nc_type>(from);
  if (from_type == to) {
    std::memcpy(out, values, count * static_cast<std::size_t>(netcdf::size_bytes(from)));
    return NC_NOERR;
  }
  if (from_type == NC_CHAR || to == NC_CHAR) return NC_ECHAR;
  int status = NC_EBADTYPE;
  with_type(from_type, [&](auto source) {
    with_type(to, [&](auto target) {
      status = convert_all<decltype(source), decltype(target)>(values, count, out);
    });
  });
  return status;
}

}  // namespace esker::netcdf_plugin
