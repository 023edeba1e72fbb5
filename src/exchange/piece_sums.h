// PieceSums: checksums of the pieces that a rank stores, and their way to the ranks that own the files.
//
// A file has one owner, the aggregator that stores its first piece; it alone writes the file's headers, and
// so has to know the checksums of pieces that others store there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "plan/plan.h"

namespace esker {

class PieceSums {
 public:
  PieceSums() = default;
  /// Room for the pieces that the rank of `plan` stores and for those that it is told of: all that is
  /// allocated.
  explicit PieceSums(const Plan& plan);

  /// The rank has stored `piece`, whose checksum is `sum`.
  void set(Index piece, std::uint64_t sum) { sums_[offset_of(piece)] = sum; }

  /// Collective, with the plan it was made for: tells owners what they have to know. Moves the planned bytes
  /// whatever has happened to the files.
  void hand_over(Comm& comm, const Plan& plan);

  /// Those of pieces [first, last), all of which this rank stored or was told of.
  [[nodiscard]] std::span<const std::uint64_t> of(Index first, Index last) const {
    return {sums_.data() + offset_of(first), static_cast<std::size_t>(last - first)};
  }

 private:
  /// Pieces whose sums stand next to each other.
  struct Stretch {
    Ownership::Pieces pieces;
    std::size_t offset = 0;
  };
  [[nodiscard]] std::size_t offset_of(Index piece) const;

  std::vector<Stretch> stretches_;  // in order
  std::vector<std::uint64_t> sums_;
  std::vector<std::uint64_t> travelling_;  // given, then taken
};

}  // namespace esker
