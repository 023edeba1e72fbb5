// What the arithmetic instructions of PTX compute. Integers wrap around, shifts have limits, and what a GPU
// leaves open never ends the process.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace esker::cuda_double::operations {

/// Where integers are added and multiplied, so that they wrap around.
template <class T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;
__extension__ typedef __int128 Int128;                // NOLINT: `using` is no extension
__extension__ typedef unsigned __int128 Unsigned128;  // NOLINT
template <class T>
using Twice = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, Int128, Unsigned128>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>>;

// clang-format off
struct Move { template <class T> T operator()(T a) const { return a; } };
struct Add { template <class T> T operator()(T a, T b) const { return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b)); } };
struct Subtract { template <class T> T operator()(T a, T b) const { return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b)); } };
struct Multiply { template <class T> T operator()(T a, T b) const { return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)); } };
struct MultiplyAdd { template <class T> T operator()(T a, T b, T c) const { return Add{}(Multiply{}(a, b), c); } };
struct MultiplyHigh { template <class T> T operator()(T a, T b) const { return static_cast<T>((static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b)) >> (8 * sizeof(T))); } };
struct MultiplyWide { template <class T> Twice<T> operator()(T a, T b) const { return static_cast<Twice<T>>(static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b)); } };
struct MultiplyWideAdd { template <class T> Twice<T> operator()(T a, T b, Twice<T> c) const { return Add{}(MultiplyWide{}(a, b), c); } };
struct FusedMultiplyAdd { template <class T> T operator()(T a, T b, T c) const { return std::fma(a, b, c); } };
struct Negate { template <class T> T operator()(T a) const { if constexpr (std::is_floating_point_v<T>) return -a; else return Subtract{}(T{0}, a); } };
struct Absolute { template <class T> T operator()(T a) const { if constexpr (std::is_floating_point_v<T>) return std::fabs(a); else return a < 0 ? Negate{}(a) : a; } };
struct Least { template <class T> T operator()(T a, T b) const { if constexpr (std::is_floating_point_v<T>) return std::fmin(a, b); else return std::min(a, b); } };
struct Greatest { template <class T> T operator()(T a, T b) const { if constexpr (std::is_floating_point_v<T>) return std::fmax(a, b); else return std::max(a, b); } };
struct SquareRoot { template <class T> T operator()(T a) const { return std::sqrt(a); } };
struct Reciprocal { template <class T> T operator()(T a) const { return 1 / a; } };
struct And { template <class T> T operator()(T a, T b) const { return static_cast<T>(a & b); } };
struct Or { template <class T> T operator()(T a, T b) const { return static_cast<T>(a | b); } };
struct Xor { template <class T> T operator()(T a, T b) const { return static_cast<T>(a ^ b); } };
struct Not { template <class T> T operator()(T a) const { if constexpr (std::is_same_v<T, bool>) return !a; else return static_cast<T>(~a); } };
struct Select { template <class T> T operator()(T a, T b, bool is_first) const { return is_first ? a : b; } };
// clang-format on

/// A GPU returns some number for a divisor of 0.
template <class T>
bool is_defined(T a, T b) {
  if (b == 0) return false;
  return !std::is_signed_v<T> || a != std::numeric_limits<T>::min() || b != static_cast<T>(-1);
}
struct Divide {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a / b;
    } else {
      return is_defined(a, b) ? static_cast<T>(a / b) : std::numeric_limits<T>::max();
    }
  }
};
struct Remainder {
  template <class T>
  T operator()(T a, T b) const {
    return is_defined(a, b) ? static_cast<T>(a % b) : T{0};
  }
};
struct ShiftLeft {
  template <class T>
  T operator()(T a, std::uint32_t by) const {
    return by < 8 * sizeof(T) ? static_cast<T>(static_cast<std::uint64_t>(a) << by) : T{0};
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T a, std::uint32_t by) const {
    if (by < 8 * sizeof(T)) return static_cast<T>(a >> by);
    return static_cast<T>(std::is_signed_v<T> && a < 0 ? -1 : 0);
  }
};

// Comparisons; those of floating-point numbers are false with a NaN, or true if their names end in u.
// clang-format off
struct Equal { template <class T> bool operator()(T a, T b) const { return a >= b && a <= b; } };
struct Unequal { template <class T> bool operator()(T a, T b) const { return a < b || a > b; } };
struct Less { template <class T> bool operator()(T a, T b) const { return a < b; } };
struct LessOrEqual { template <class T> bool operator()(T a, T b) const { return a <= b; } };
struct More { template <class T> bool operator()(T a, T b) const { return a > b; } };
struct MoreOrEqual { template <class T> bool operator()(T a, T b) const { return a >= b; } };
struct Ordered { template <class T> bool operator()(T a, T b) const { return !std::isunordered(a, b); } };
template <class Opposite>
struct No { template <class T> bool operator()(T a, T b) const { return !Opposite{}(a, b); } };
// clang-format on

/// cvt: a number that is too large becomes the nearest one, a NaN 0.
template <class To>
struct Convert {
  template <class From>
  To operator()(From a) const {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      if (std::isnan(a)) return 0;
      if (a <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
      if (a >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    }
    return static_cast<To>(a);
  }
};
// clang-format off
struct RoundDown { template <class T> T operator()(T a) const { return std::floor(a); } };
struct RoundUp { template <class T> T operator()(T a) const { return std::ceil(a); } };
struct RoundToZero { template <class T> T operator()(T a) const { return std::trunc(a); } };
struct RoundToNearest { template <class T> T operator()(T a) const { return std::nearbyint(a); } };
// clang-format on

}  // namespace esker::cuda_double::operations
