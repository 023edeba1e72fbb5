// Morton order of the cells of a panel: the bits of i and j taken in turn.
//
// Morton rather than Hilbert, because it is the order of levels: the cells with i and j divisible by 2^k are
// those whose number is divisible by 4^k, and they are the cells of the grid k levels coarser. IDX orders
// samples by the same bits. A stretch of Hilbert's curve would always be connected; one of Morton's
// has two parts at most (Burstedde, Holke and Isaac 2019, Found. Comput. Math. 19, 843), so halos are a bit
// longer.
#pragma once

#include <cstdint>

namespace gcrm {

using Index = std::int64_t;

/// Moves bit b of `v` < 2^31 to bit 2 b.
constexpr Index spread_bits(Index v) {
  auto u = static_cast<std::uint64_t>(v);
  u = (u | (u << 16)) & 0x0000ffff0000ffffU;
  u = (u | (u << 8)) & 0x00ff00ff00ff00ffU;
  u = (u | (u << 4)) & 0x0f0f0f0f0f0f0f0fU;
  u = (u | (u << 2)) & 0x3333333333333333U;
  u = (u | (u << 1)) & 0x5555555555555555U;
  return static_cast<Index>(u);
}

/// The inverse: bits 0, 2, 4 ... of `v`, together.
constexpr Index gather_bits(Index v) {
  auto u = static_cast<std::uint64_t>(v) & 0x5555555555555555U;
  u = (u | (u >> 1)) & 0x3333333333333333U;
  u = (u | (u >> 2)) & 0x0f0f0f0f0f0f0f0fU;
  u = (u | (u >> 4)) & 0x00ff00ff00ff00ffU;
  u = (u | (u >> 8)) & 0x0000ffff0000ffffU;
  u = (u | (u >> 16)) & 0x00000000ffffffffU;
  return static_cast<Index>(u);
}

constexpr Index morton(Index i, Index j) { return spread_bits(i) | (spread_bits(j) << 1); }
constexpr Index morton_i(Index m) { return gather_bits(m); }
constexpr Index morton_j(Index m) { return gather_bits(m >> 1); }

}  // namespace gcrm
