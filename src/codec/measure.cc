#include "codec/measure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/with_type.h"

namespace esker {
namespace {

/// Calls visit(first value, number of values) for each row of the box.
template <class Visit>
void for_each_row(const BlockShape& shape, const Box& inside, Visit visit) {
  for (int a = 0; a < shape.rank; ++a) {
    if (inside.extent(a) == 0) return;
  }
  Point at = inside.lo;
  for (int a = 0; a < shape.rank;) {
    Index offset = 0;
    for (int b = shape.rank - 1; b >= 0; --b) offset = offset * shape.count[b] + at[b];
    visit(offset * shape.components, inside.extent(0) * shape.components);
    for (a = 1; a < shape.rank && ++at[a] == inside.hi[a]; ++a) at[a] = inside.lo[a];
  }
}

template <class T>
T value_at(const std::byte* values, Index i) {
  T value;
  std::memcpy(&value, values + i * static_cast<Index>(sizeof(T)), sizeof(T));
  return value;
}

template <class T>
constexpr bool kIsWide = std::is_integral_v<T> && sizeof(T) == 8;

/// |a - b| of integers of 64 bits, exact.
template <class T>
std::uint64_t distance(T a, T b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  return a > b ? x - y : y - x;
}

/// |a - b|, rounded to the nearest double.
template <class T>
double difference(T a, T b) {
  if constexpr (kIsWide<T>) {
    return static_cast<double>(distance(a, b));
  } else {
    return std::abs(static_cast<double>(a) - static_cast<double>(b));
  }
}

/// Whether difference(a, b) is smaller than |a - b|. Floating point: Knuth's exact sum of two numbers.
template <class T>
bool is_rounded_down(T a, T b) {
  if constexpr (kIsWide<T>) {
    const double rounded = difference(a, b);
    return rounded < 0x1p64 && static_cast<std::uint64_t>(rounded) < distance(a, b);
  } else {
    const double x = a, y = b;
    const double sum = x - y;
    const double part = sum - x;
    const double rest = (x - (sum - part)) - (y + part);
    return sum > 0 ? rest > 0 : rest < 0;
  }
}

/// In lanes, which compilers turn into vector instructions.
template <class T>
double largest_difference(const std::byte* a, const std::byte* b, Index n) {
  constexpr Index kLanes = 8;
  std::array<double, kLanes> largest{};
  const auto compare = [&](Index lane, Index i) {
    const double d = difference(value_at<T>(a, i), value_at<T>(b, i));
    auto& most = largest[static_cast<std::size_t>(lane)];
    most = most < d ? d : most;
  };
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (Index lane = 0; lane < kLanes; ++lane) compare(lane, i + lane);
  }
  for (; i < n; ++i) compare(0, i);
  return *std::max_element(largest.begin(), largest.end());
}

/// The sum of the squares and whether a difference is above `largest` before it is rounded.
struct Second {
  double squares = 0;
  bool is_above = false;
};

template <class T>
void add_row(const std::byte* a, const std::byte* b, Index n, double largest, Second& pass) {
  double squares = pass.squares;
  for (Index i = 0; i < n; ++i) {
    const T x = value_at<T>(a, i), y = value_at<T>(b, i);
    const double d = difference(x, y);
    squares += d * d;
    if (d == largest) pass.is_above = pass.is_above || is_rounded_down(x, y);
  }
  pass.squares = squares;
}

/// An upper bound of sqrt(squares / n): each of n sums and squares lost at most half a unit in the last
/// place, or, where a square is below the smallest double, that.
double rms_bound(double squares, Index n) {
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  return std::sqrt(squares / static_cast<double>(n)) * (1 + static_cast<double>(n + 8) * kUnit) + 0x1p-500;
}

template <class T>
MeasuredErrors measure(const BlockShape& shape, const Box& inside, const std::byte* a, const std::byte* b) {
  MeasuredErrors errors;
  Index n_values = 0;
  for_each_row(shape, inside, [&](Index first, Index n) {
    const Index offset = first * static_cast<Index>(sizeof(T));
    errors.max = std::max(errors.max, largest_difference<T>(a + offset, b + offset, n));
    n_values += n;
  });
  if (errors.max == 0 || errors.max > std::numeric_limits<float>::max()) return errors;
  Second pass;
  for_each_row(shape, inside, [&](Index first, Index n) {
    const Index offset = first * static_cast<Index>(sizeof(T));
    add_row<T>(a + offset, b + offset, n, errors.max, pass);
  });
  if (pass.is_above) errors.max = std::nextafter(errors.max, std::numeric_limits<double>::infinity());
  errors.rms = std::min(rms_bound(pass.squares, n_values), errors.max);
  return errors;
}

/// A carry out of the exponent's bits appears in the place of the sign if they are all set.
template <class Bits>
bool all_exponents_below(Bits exponent, std::span<const std::byte> values) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const Bits lowest = exponent & (~exponent + 1);
  const auto n = static_cast<Index>(values.size() / sizeof(Bits));
  Bits carries = 0;
  for (Index i = 0; i < n; ++i) carries |= (value_at<Bits>(values.data(), i) & exponent) + lowest;
  return (carries & kSign) == 0;
}

}  // namespace

MeasuredErrors measure_errors(const BlockShape& shape, const Box& inside, std::span<const std::byte> original,
                              std::span<const std::byte> decoded) {
  return with_type(shape.type, [&](auto zero) {
    return measure<decltype(zero)>(shape, inside, original.data(), decoded.data());
  });
}

float rounded_up(double value) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (value > std::numeric_limits<float>::max()) return kInfinity;
  const auto nearest = static_cast<float>(value);
  return nearest < value ? std::nextafter(nearest, kInfinity) : nearest;
}

bool all_finite(SampleType type, std::span<const std::byte> values) {
  if (type == SampleType::kFloat32) return all_exponents_below<std::uint32_t>(0x7f800000u, values);
  if (type == SampleType::kFloat64) return all_exponents_below<std::uint64_t>(0x7ff0000000000000u, values);
  return true;
}

}  // namespace esker
