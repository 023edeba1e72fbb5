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

/// The rank that stores a piece.
int holder_of(const PieceSpace& space, const Ownership& ownership, Index piece) {
  return ownership.rank_of(ownership.owner_of({piece, space.position_bytes(piece)}));
}

/// Calls visit(file, part of a run in it) for the files that runs of ascending pieces intersect.
template <class Visit>
void for_each_file(const PieceSpace& space, const std::vector<Pieces>& runs, const Visit& visit) {
  Pieces file;
  for (const Pieces& run : runs) {
    for (Index first = run.first; first < run.last;) {
      if (first < file.first || file.last <= first) file = file_of(space, first);
      const Index last = std::min(run.last, file.last);
      visit(file, Pieces{first, last});
      first = last;
    }
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
  return holder_of(space, ownership, file_of(space, piece).first);
}

std::vector<HandOver> find_gives(const PieceSpace& space, const Ownership& ownership, int rank) {
  const int aggregator = ownership.aggregator_of_rank(rank);
  if (aggregator < 0) return {};
  std::map<int, std::vector<Pieces>> gives;
  for_each_file(space, ownership.runs(aggregator), [&](const Pieces& file, const Pieces& mine) {
    const bool is_joined = space.joins(space.layout_of(file.first));
    const int owner = is_joined ? 0 : holder_of(space, ownership, file.first);
    if (owner != rank) gives[owner].push_back(mine);
  });
  return to_list(gives);
}

std::vector<HandOver> find_takes(const PieceSpace& space, const Ownership& ownership, int rank) {
  const int aggregator = ownership.aggregator_of_rank(rank);
  std::map<int, std::vector<Pieces>> takes;
  const std::vector<Pieces> own = aggregator < 0 ? std::vector<Pieces>() : ownership.runs(aggregator);
  for_each_file(space, own, [&](const Pieces& file, const Pieces& mine) {
    const bool is_own = mine.first == file.first && !space.joins(space.layout_of(file.first));
    if (is_own) add_takes(ownership, file, rank, takes);
  });
  for (int layout = 0; layout < space.num_layouts() && rank == 0; ++layout) {
    const bool begins_file = space.joins(layout) && space.begins_joined(layout);
    if (!begins_file || space.layout(layout).num_pieces() == 0) continue;
    add_takes(ownership, file_of(space, space.first_ordinal(layout)), rank, takes);
  }
  return to_list(takes);
}

}  // namespace esker
