#include "exchange/piece_numbers.h"

#include <algorithm>

namespace esker {

PieceNumbers::PieceNumbers(std::vector<Ownership::Pieces> runs) {
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const Ownership::Pieces& pieces : runs) {
    if (stretches_.empty() || stretches_.back().pieces.last != pieces.first) {
      stretches_.push_back({pieces, size_});
    }
    stretches_.back().pieces.last = pieces.last;
    size_ += static_cast<std::size_t>(pieces.last - pieces.first);
  }
}

std::size_t PieceNumbers::of(Index piece) const {
  const auto after =
      std::upper_bound(stretches_.begin(), stretches_.end(), piece,
                       [](Index p, const Stretch& stretch) { return p < stretch.pieces.first; });
  const Stretch& stretch = *(after - 1);
  return stretch.first + static_cast<std::size_t>(piece - stretch.pieces.first);
}

}  // namespace esker
