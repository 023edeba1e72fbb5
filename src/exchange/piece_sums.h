// PieceSums: checksums of the pieces that a rank stores, and their transfer to the ranks that own the files.
//
// A file has one owner, the aggregator that stores its first piece. Only the owner writes the file's headers,
// so it needs the checksums of the pieces that other aggregators store there.
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
  /// Allocates the checksums of the pieces that the rank of `plan` stores or receives checksums for. No other
  /// function allocates.
  explicit PieceSums(const Plan& plan);

  /// The rank has stored `piece`, whose checksum is `sum`.
  void set(Index piece, std::uint64_t sum) { sums_[offset_of(piece)] = sum; }

  /// Collective, with the plan that it was made for: sends checksums to the owners of the files. The planned
  /// bytes move even if file operations have failed.
  void hand_over(Comm& comm, const Plan& plan);

  /// The checksums of pieces [first, last), all of which this rank stored or received the checksums of.
  [[nodiscard]] std::span<const std::uint64_t> of(Index first, Index last) const {
    return {sums_.data() + offset_of(first), static_cast<std::size_t>(last - first)};
  }

 private:
  /// Pieces whose checksums are contiguous.
  struct Stretch {
    Ownership::Pieces pieces;
    std::size_t offset = 0;
  };
  [[nodiscard]] std::size_t offset_of(Index piece) const;

  std::vector<Stretch> stretches_;  // in order
  std::vector<std::uint64_t> sums_;
  std::vector<std::uint64_t> travelling_;  // sent, then received
};

}  // namespace esker
