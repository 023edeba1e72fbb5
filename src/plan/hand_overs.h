// HandOver: pieces of which one aggregator tells another, because a file has one owner.
#pragma once

#include <vector>

#include "plan/ownership.h"
#include "plan/piece_space.h"

namespace esker {

/// Pieces that one aggregator stores in files that another one owns: whoever stores the first piece of a file
/// owns it.
struct HandOver {
  int peer = 0;
  std::vector<Ownership::Pieces> pieces;  ///< in order

  [[nodiscard]] Index num_pieces() const;
};

/// What the aggregator tells owners, and what it is told as one; ascending peers.
std::vector<HandOver> find_gives(const PieceSpace& space, const Ownership& ownership, int aggregator);
std::vector<HandOver> find_takes(const PieceSpace& space, const Ownership& ownership, int aggregator);

}  // namespace esker
