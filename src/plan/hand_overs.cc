#include "plan/hand_overs.h"

#include <algorithm>
#include <map>

namespace esker {
namespace {

using Pieces = Ownership::Pieces;

/// The pieces of the file that contains a piece.
Pieces file_of(const PieceSpace& space, Index piece) {
  const Index position = space.position_bytes(piece);
  const int layout = space.layout_at(position);
  const Index base = space.first_position(layout);
  const Layout::FileSpan span = space.layout(layout).file_at(position - base);
  return {space.first_piece_from(base + span.begin), space.first_piece_from(base + span.end)};
}

/// Calls visit(file, part of the run in it) for the files that a run intersects.
template <class Visit>
void for_each_file(const PieceSpace& space, const Pieces& run, const Visit& visit) {
  for (Index first = run.first; first < run.last;) {
    const Pieces file = file_of(space, first);
    const Index last = std::min(run.last, file.last);
    visit(file, Pieces{first, last});
    first = last;
  }
}

std::vector<HandOver> to_list(const Ownership& ownership,
                              const std::map<int, std::vector<Pieces>>& of_owner) {
  std::vector<HandOver> list;
  for (const auto& [owner, pieces] : of_owner) list.push_back({ownership.rank_of(owner), pieces});
  std::sort(list.begin(), list.end(), [](const HandOver& a, const HandOver& b) { return a.peer < b.peer; });
  return list;
}

}  // namespace

Index HandOver::num_pieces() const {
  Index count = 0;
  for (const Pieces& range : pieces) count += range.last - range.first;
  return count;
}

std::vector<HandOver> find_gives(const PieceSpace& space, const Ownership& ownership, int aggregator) {
  std::map<int, std::vector<Pieces>> gives;
  for (const Pieces& run : ownership.runs(aggregator)) {
    for_each_file(space, run, [&](const Pieces& file, const Pieces& mine) {
      const int owner = ownership.owner_of({file.first, space.position_bytes(file.first)});
      if (owner != aggregator) gives[owner].push_back(mine);
    });
  }
  return to_list(ownership, gives);
}

std::vector<HandOver> find_takes(const PieceSpace& space, const Ownership& ownership, int aggregator) {
  std::map<int, std::vector<Pieces>> takes;
  for (const Pieces& run : ownership.runs(aggregator)) {
    for_each_file(space, run, [&](const Pieces& file, const Pieces& mine) {
      if (mine.first != file.first) return;
      const Ownership::Range others = ownership.owners_of(file);
      for (int other = others.first; other < others.last; ++other) {
        if (other == aggregator) continue;
        for (const Pieces& theirs : ownership.runs(other, file)) takes[other].push_back(theirs);
      }
    });
  }
  return to_list(ownership, takes);
}

}  // namespace esker
