#include "grid/congruence.h"

#include <numeric>
#include <utility>

namespace esker {
namespace {

__extension__ typedef __int128 Wide;  // of products

Index modulo(Index a, Index m) { return (a % m + m) % m; }

/// x with a * x = 1 modulo m, for coprime a and m. One side of Euclid's algorithm.
Index inverse(Index a, Index m) {
  Index x = 1, next_x = 0;
  for (Index next_a = m; next_a != 0;) {
    const Index quotient = a / next_a;
    a = std::exchange(next_a, a - quotient * next_a);
    x = std::exchange(next_x, x - quotient * next_x);
  }
  return modulo(x, m);
}

}  // namespace

// first + i * stride = other.first modulo other.stride, divided by the common divisor of the strides.
std::optional<Index> first_meeting(const PointRow& row, const PointRow& other, Index from) {
  const Index common = std::gcd(row.stride, other.stride);
  const Index apart = other.first - row.first;
  if (apart % common != 0) return std::nullopt;
  const Index period = other.stride / common;
  if (period == 1) return from;
  const Index factor = inverse(modulo(row.stride / common, period), period);
  const auto product = static_cast<Wide>(modulo(apart / common, period)) * factor;
  const auto i = static_cast<Index>(product % period);
  return from + modulo(i - from, period);
}

}  // namespace esker
