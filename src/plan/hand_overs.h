// HandOver: pieces whose records one rank sends to another, because a file has one owner.
#pragma once

#include <vector>

#include "plan/ownership.h"
#include "plan/piece_space.h"

namespace esker {

/// Pieces that one rank stores in files that another one owns. The aggregator that stores the first piece of
/// a file owns the file; rank 0 owns the file of layouts that join (PieceSpace::add).
struct HandOver {
  int peer = 0;
  std::vector<Ownership::Pieces> pieces;  ///< in order

  [[nodiscard]] Index num_pieces() const;
};

/// The rank that owns the file of a piece.
int file_owner(const PieceSpace& space, const Ownership& ownership, Index piece);

/// What the rank sends to owners, and what it receives as an owner; ascending peers.
std::vector<HandOver> find_gives(const PieceSpace& space, const Ownership& ownership, int rank);
std::vector<HandOver> find_takes(const PieceSpace& space, const Ownership& ownership, int rank);

}  // namespace esker
