#include "exchange/hand_overs.h"

#include <algorithm>

namespace esker {
namespace {

/// The file at `position`, as positions in the space.
struct FileRange {
  Index begin = 0, end = 0;
};

FileRange file_range(const PieceSpace& space, Index position) {
  const int layout = space.layout_at(position);
  const Index base = space.first_position(layout);
  const Layout::FileSpan span = space.layout(layout).file_at(position - base);
  return {base + span.begin, base + span.end};
}

}  // namespace

std::vector<HandOver> find_gives(const PieceSpace& space, const Ownership& ownership, int aggregator) {
  const auto [begin, end] = ownership.positions(aggregator);
  if (begin == end) return {};
  const FileRange file = file_range(space, begin);
  if (file.begin == begin) return {};
  const int owner = ownership.owner_at(file.begin);
  return {{ownership.rank_of(owner), space.first_piece_from(begin),
           space.first_piece_from(std::min(end, file.end))}};
}

std::vector<HandOver> find_takes(const PieceSpace& space, const Ownership& ownership, int aggregator) {
  const auto [begin, end] = ownership.positions(aggregator);
  std::vector<HandOver> takes;
  if (begin == end) return takes;
  const FileRange file = file_range(space, end - 1);
  if (file.begin < begin) return takes;
  for (int other = aggregator + 1; other < ownership.num_aggregators(); ++other) {
    const auto [from, to] = ownership.positions(other);
    if (from >= file.end) break;
    if (from == to) continue;
    takes.push_back({ownership.rank_of(other), space.first_piece_from(from),
                     space.first_piece_from(std::min(to, file.end))});
  }
  return takes;
}

}  // namespace esker
