// PieceHead: what a file records of a piece that keeps the bits of its samples in groups.
//
// Several ranks contribute to the head of a piece: those that coded its samples know the errors, the one that
// stores the piece knows the checksums. Merging does not depend on the order, so a head does not depend on
// the ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace esker {

inline constexpr std::size_t kMaxGroups = 7;  ///< of bits in a piece

struct PieceHead {
  std::array<float, kMaxGroups> errors{};        ///< largest absolute error with groups 0 ... g, rounded up
  std::array<std::uint64_t, kMaxGroups> sums{};  ///< checksums of the groups

  /// The largest errors, and the checksums that either has.
  void merge(const PieceHead& other) {
    for (std::size_t g = 0; g < kMaxGroups; ++g) {
      errors[g] = std::max(errors[g], other.errors[g]);
      sums[g] = std::max(sums[g], other.sums[g]);
    }
  }
  friend bool operator==(const PieceHead&, const PieceHead&) = default;
};

}  // namespace esker
