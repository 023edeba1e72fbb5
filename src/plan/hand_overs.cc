#include "plan/hand_overs.h"

#include <algorithm>
#include <map>

namespace esker {
namespace {

using Pieces = Ownership::Pieces;

/// The pieces of the file that contains a piece.
Pieces file_of(const PieceSpace& space, Index piece) {
  const Layout::FileSpan file = space.file_at(space.position_bytes(piece));
  return {space.first_piece_from(file.begin), space.first_piece_from(file.end)};
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

std::vector<HandOver> to_list(const std::map<int, std::vector<Pieces>>& of_peer) {
  std::vector<HandOver> list;
  for (const auto& [peer, pieces] : of_peer) list.push_back({peer, pieces});
  return list;
}

/// Adds the pieces of a file that other ranks than its owner store.
void add_takes(const Ownership& ownership, const Pieces& file, int owner,
               std::map<int, std::vector<Pieces>>& takes) {
  const Ownership::Range others = ownership.owners_of(file);
  for (int other = others.first; other < others.last; ++other) {
    const int peer = ownership.rank_of(other);
    if (peer == owner) continue;
    for (const Pieces& theirs : ownership.runs(other, file)) takes[peer].push_back(theirs);
  }
}

}  // namespace

Index HandOver::num_pieces() const {
  Index count = 0;
  for (const Pieces& range : pieces) count += range.last - range.first;
  return count;
}

int file_owner(const PieceSpace& space, const Ownership& ownership, Index piece) {
  if (space.joins(space.layout_of(piece))) return 0;
  const Index first = file_of(space, piece).first;
  return ownership.rank_of(ownership.owner_of({first, space.position_bytes(first)}));
}

std::vector<HandOver> find_gives(const PieceSpace& space, const Ownership& ownership, int rank) {
  const int aggregator = ownership.aggregator_of_rank(rank);
  std::map<int, std::vector<Pieces>> gives;
  if (aggregator < 0) return {};
  for (const Pieces& run : ownership.runs(aggregator)) {
    for_each_file(space, run, [&](const Pieces& file, const Pieces& mine) {
      const int owner = file_owner(space, ownership, file.first);
      if (owner != rank) gives[owner].push_back(mine);
    });
  }
  return to_list(gives);
}

std::vector<HandOver> find_takes(const PieceSpace& space, const Ownership& ownership, int rank) {
  const int aggregator = ownership.aggregator_of_rank(rank);
  std::map<int, std::vector<Pieces>> takes;
  for (const Pieces& run : aggregator < 0 ? std::vector<Pieces>() : ownership.runs(aggregator)) {
    for_each_file(space, run, [&](const Pieces& file, const Pieces& mine) {
      const bool is_own = mine.first == file.first && !space.joins(space.layout_of(file.first));
      if (is_own) add_takes(ownership, file, rank, takes);
    });
  }
  for (int layout = 0; layout < space.num_layouts() && rank == 0; ++layout) {
    const bool begins_joined = space.joins(layout) && (layout == 0 || !space.joins(layout - 1));
    if (!begins_joined || space.layout(layout).num_pieces() == 0) continue;
    add_takes(ownership, file_of(space, space.first_ordinal(layout)), rank, takes);
  }
  return to_list(takes);
}

}  // namespace esker
