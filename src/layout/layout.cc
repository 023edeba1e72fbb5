#include "layout/layout.h"

#include "base/checked.h"

namespace esker {

void append_to_runs(std::vector<Layout::Run>& runs, Index ordinal) {
  if (!runs.empty() && runs.back().last == ordinal) {
    ++runs.back().last;
  } else {
    runs.push_back({ordinal, ordinal + 1});
  }
}

std::vector<Point> Layout::centers_of_shares(const BrickDecomposition& bricks) const {
  std::vector<Point> centers;
  for (Index b = 0; b < bricks.num_parts(); ++b) {
    const Box brick = bricks.box(b);
    Point middle{};
    for (int a = 0; a < brick.rank; ++a) middle[a] = (brick.lo[a] + brick.hi[a]) / 2;
    centers.push_back(middle);
  }
  return centers;
}

std::vector<std::vector<Layout::Run>> stretches_of_shares(Index num_pieces,
                                                          const BrickDecomposition& bricks) {
  const Index n = bricks.num_parts();
  std::vector<std::vector<Layout::Run>> shares;
  for (Index share = 0; share < n; ++share) {
    const Layout::Run run{div_up(num_pieces * share, n), div_up(num_pieces * (share + 1), n)};
    shares.push_back(run.first < run.last ? std::vector<Layout::Run>{run} : std::vector<Layout::Run>());
  }
  return shares;
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
