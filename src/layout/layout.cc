#include "layout/layout.h"

#include <algorithm>

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

// Pieces are nearly of one size, so that the proportion comes close. From there the steps grow.
Index first_piece_from(const Layout& layout, Index position) {
  const Index num_pieces = layout.num_pieces(), end = layout.stored_bytes();
  if (num_pieces == 0 || position > end) return num_pieces;
  const auto begins_before = [&](Index piece) { return layout.position_bytes(piece) < position; };
  const double share = static_cast<double>(position) / static_cast<double>(std::max<Index>(end, 1));
  const auto proportion = static_cast<Index>(share * static_cast<double>(num_pieces));
  const Index guess = std::clamp<Index>(proportion, 0, num_pieces - 1);
  constexpr Index kGrowth = 4;
  const bool is_behind = begins_before(guess);
  Index low = is_behind ? guess + 1 : 0, high = is_behind ? num_pieces : guess;
  for (Index step = 1; low + step < high; step *= kGrowth) {
    const Index probe = is_behind ? low + step : high - step;
    if (begins_before(probe)) {
      low = probe + 1;
      if (!is_behind) break;
    } else {
      high = probe;
      if (is_behind) break;
    }
  }
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (begins_before(middle)) {
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
