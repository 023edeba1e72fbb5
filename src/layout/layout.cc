#include "layout/layout.h"

namespace esker {

void append_to_runs(std::vector<Layout::Run>& runs, Index ordinal) {
  if (!runs.empty() && runs.back().last == ordinal) {
    ++runs.back().last;
  } else {
    runs.push_back({ordinal, ordinal + 1});
  }
}

Index first_piece_from(const Layout& layout, Index position) {
  Index low = 0;
  Index high = layout.num_pieces();
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (layout.position_bytes(middle) < position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void Layout::for_each_piece(Index first, Index last, const VisitPiece& visit) const {
  for (; first < last; ++first) visit(piece(first));
}

}  // namespace esker
