#include "plan/piece_space.h"

#include <algorithm>

namespace esker {
namespace {

/// The last interval whose start is <= value; empty intervals are skipped.
int interval_of(const std::vector<Index>& starts, Index value) {
  return static_cast<int>(std::upper_bound(starts.begin(), starts.end() - 1, value) - starts.begin()) - 1;
}

}  // namespace

void PieceSpace::add(const Layout& layout, int joined_file) {
  layouts_.push_back(&layout);
  joined_files_.push_back(joined_file);
  first_ordinal_.push_back(first_ordinal_.back() + layout.num_pieces());
  first_position_.push_back(first_position_.back() + layout.stored_bytes());
}

Index PieceSpace::largest_piece_bytes() const {
  Index largest = 0;
  for (const Layout* layout : layouts_) largest = std::max(largest, layout->largest_piece_bytes());
  return largest;
}

Index PieceSpace::most_writers() const {
  Index writers = 0;
  for (const Layout* layout : layouts_) writers += layout->most_writers();
  return writers;
}

int PieceSpace::layout_of(Index piece) const { return interval_of(first_ordinal_, piece); }
int PieceSpace::layout_at(Index position) const { return interval_of(first_position_, position); }

Piece PieceSpace::piece(Index piece) const {
  const int number = layout_of(piece);
  return layout(number).piece(piece - first_ordinal_[number]);
}

Index PieceSpace::position_bytes(Index piece) const {
  if (piece == num_pieces()) return stored_bytes();
  const int number = layout_of(piece);
  return first_position_[number] + layout(number).position_bytes(piece - first_ordinal_[number]);
}

Layout::FileSpan PieceSpace::file_at(Index position) const {
  const int number = layout_at(position);
  const Index base = first_position_[number];
  if (!joins(number)) {
    Layout::FileSpan file = layout(number).file_at(position - base);
    file.begin += base;
    file.end += base;
    return file;
  }
  int first = number, last = number;
  while (!begins_joined(first)) --first;
  while (last + 1 < num_layouts() && !begins_joined(last + 1)) ++last;
  const Layout::FileSpan begin = layout(first).file_at(0);
  return {begin.file, first_position_[first], first_position_[last + 1], begin.data_offset_bytes};
}

std::vector<Index> PieceSpace::ends_of_files() const {
  std::vector<Index> ends;
  for (Index position = 0; position < stored_bytes(); position = ends.back()) {
    ends.push_back(file_at(position).end);
  }
  return ends;
}

Index PieceSpace::first_piece_from(Index position) const {
  if (position >= stored_bytes()) return num_pieces();
  const int number = layout_at(position);
  return first_ordinal_[number] + esker::first_piece_from(layout(number), position - first_position_[number]);
}

}  // namespace esker
