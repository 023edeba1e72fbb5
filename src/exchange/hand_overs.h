// HandOver: pieces of which one aggregator tells another, because a file has one owner.
#pragma once

#include <vector>

#include "exchange/ownership.h"
#include "exchange/piece_space.h"

namespace esker {

/// Pieces [first, last) that one aggregator stores in a file that another one owns.
struct HandOver {
  int peer = 0;
  Index first_piece = 0, last_piece = 0;

  [[nodiscard]] Index num_pieces() const { return last_piece - first_piece; }
};

/// What the aggregator stores in its first file, if another one stores the beginning of that file and so owns
/// it.
std::vector<HandOver> find_gives(const PieceSpace& space, const Ownership& ownership, int aggregator);

/// What the following aggregators store in the file that this one began last.
std::vector<HandOver> find_takes(const PieceSpace& space, const Ownership& ownership, int aggregator);

}  // namespace esker
