// PieceNumbers: numbers the pieces of some runs from 0 on, so that a list of what a rank knows of them has no
// room for other pieces.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/ownership.h"

namespace esker {

class PieceNumbers {
 public:
  PieceNumbers() = default;
  /// Of these runs, in any order, which do not overlap. Allocates; no other function does.
  explicit PieceNumbers(std::vector<Ownership::Pieces> runs);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// The number of a piece in one of the runs; consecutive pieces of a run have consecutive numbers.
  [[nodiscard]] std::size_t of(Index piece) const;
  /// Calls visit(run) for the runs in ascending order, those that touch united.
  template <class Visit>
  void for_each_run(const Visit& visit) const {
    for (const Stretch& stretch : stretches_) visit(stretch.pieces);
  }

 private:
  struct Stretch {
    Ownership::Pieces pieces;
    std::size_t first = 0;  // number of the first piece
  };

  std::vector<Stretch> stretches_;  // ascending
  std::size_t size_ = 0;
};

}  // namespace esker
