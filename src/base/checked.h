// Integer arithmetic on numbers from files and users; overflow is a return value, not undefined behavior.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace esker {

/// a * b, or nothing if it overflows.
template <class T>
std::optional<T> checked_mul(T a, T b) {
  T product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// a + b, or nothing if it overflows.
template <class T>
std::optional<T> checked_add(T a, T b) {
  T sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

/// `value` as a To, or nothing if To cannot hold it. The only narrowing conversion of the library.
template <class To, class From>
std::optional<To> narrow(From value) {
  static_assert(std::is_integral_v<To> && std::is_integral_v<From>);
  const To out = static_cast<To>(value);
  if (static_cast<From>(out) != value || (out < To{}) != (value < From{})) return std::nullopt;
  return out;
}

/// a / b rounded up; a >= 0, b > 0.
constexpr std::int64_t div_up(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

/// floor(total * part / parts) without overflow; 0 <= part <= parts < 2^31, total >= 0.
constexpr std::int64_t share(std::int64_t total, std::int64_t part, std::int64_t parts) {
  return total / parts * part + total % parts * part / parts;
}

/// The smallest multiple of `unit` that is >= a; a >= 0, unit > 0.
constexpr std::int64_t round_up(std::int64_t a, std::int64_t unit) { return div_up(a, unit) * unit; }

/// floor(a / b) for any sign of a; b > 0.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && a < 0); }

/// ceil(a / b) for any sign of a; b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

}  // namespace esker
