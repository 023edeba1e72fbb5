#include "grid/hz.h"

#include <bit>
#include <cstdint>

namespace esker {

namespace {

// Shifts are done on unsigned numbers: with 62 digits the intermediate values need all 64 bits.
using Bits = std::uint64_t;

}  // namespace

Index z_from_point(const Bitmask& mask, const Point& p) {
  Index z = 0;
  for (int position = 1; position <= mask.max_level(); ++position) {
    const bool upper_half = (p[mask.digit(position)] & mask.weight(position)) != 0;
    z = z << 1 | static_cast<Index>(upper_half);
  }
  return z;
}

Point point_from_z(const Bitmask& mask, Index z) {
  Point p{};
  for (int position = mask.max_level(); position >= 1; --position, z >>= 1) {
    if (z & 1) p[mask.digit(position)] += mask.weight(position);
  }
  return p;
}

// A sample of level L has a Z address that ends in 1 and m - L zeros; the bits before that 1 are its rank
// among the samples of its level. The sentinel bit 2^m gives the origin its level 0.
Index hz_from_z(const Bitmask& mask, Index z) {
  const Bits marked = static_cast<Bits>(z) | Bits{1} << mask.max_level();
  return static_cast<Index>(marked >> (std::countr_zero(marked) + 1));
}

Index z_from_hz(const Bitmask& mask, Index hz) {
  if (hz == 0) return 0;
  const int m = mask.max_level();
  const Bits marked = (static_cast<Bits>(hz) << 1 | 1) << (m - level_of_hz(hz));
  return static_cast<Index>(marked & ((Bits{1} << m) - 1));
}

Index hz_from_point(const Bitmask& mask, const Point& p) { return hz_from_z(mask, z_from_point(mask, p)); }

Point point_from_hz(const Bitmask& mask, Index hz) { return point_from_z(mask, z_from_hz(mask, hz)); }

int level_of_hz(Index hz) { return std::bit_width(static_cast<Bits>(hz)); }

Index first_hz_of_level(int level) { return level == 0 ? 0 : Index{1} << (level - 1); }

}  // namespace esker
