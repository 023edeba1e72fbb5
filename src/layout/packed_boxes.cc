#include "layout/packed_boxes.h"

#include <algorithm>

#include "base/checked.h"
#include "grid/coarsened.h"
#include "layout/places.h"

namespace esker {
namespace {

Index num_samples_of(int rank, const Point& extent) { return Box::from_extent(rank, extent).num_samples(); }

}  // namespace

PackedBoxes::PackedBoxes(int rank, std::vector<Point> extents) : rank_(rank), extents_(std::move(extents)) {
  samples_before_.reserve(extents_.size() + 1);
  for (const Point& extent : extents_) {
    samples_before_.push_back(samples_before_.back() + num_samples_of(rank_, extent));
    for (int a = 0; a < rank_; ++a) domain_[a] = std::max(domain_[a], extent[a]);
  }
  domain_[rank_] = size();
}

PackedBoxesLayout::PackedBoxesLayout(std::shared_ptr<const PackedBoxes> boxes, Index sample_bytes,
                                     Index offset_bytes, Index piece_bytes)
    : OneVariableLayout(boxes->rank() + 1, boxes->domain(), sample_bytes, offset_bytes),
      boxes_(std::move(boxes)),
      most_samples_(std::max<Index>(1, within_a_call(piece_bytes) / sample_bytes)) {
  Index room = 0;  // in the last piece
  for (Index box = 0; box < boxes_->size(); ++box) {
    const Index samples = num_samples_of(boxes_->rank(), boxes_->extent(box));
    if (!is_divided(box) && samples <= room) {
      room -= samples;
      continue;
    }
    room = is_divided(box) ? 0 : most_samples_ - samples;
    const Index num_tiles = is_divided(box) ? tiles_of(box).num_tiles() : 1;
    for (Index tile = 0; tile < num_tiles; ++tile) pieces_.push_back({box, tile});
  }
  pieces_.push_back({boxes_->size(), 0});
  for (Index ordinal = 0; ordinal < num_pieces(); ++ordinal) {
    largest_piece_bytes_ =
        std::max(largest_piece_bytes_, position_bytes(ordinal + 1) - position_bytes(ordinal));
  }
}

bool PackedBoxesLayout::is_divided(Index box) const {
  return num_samples_of(boxes_->rank(), boxes_->extent(box)) > most_samples_;
}

RowTiles PackedBoxesLayout::tiles_of(Index box) const {
  return RowTiles(boxes_->rank(), boxes_->extent(box), most_samples_, {});
}

Index PackedBoxesLayout::position_bytes(Index ordinal) const {
  const auto [box, tile] = start(ordinal);
  const Index in_box = tile == 0 ? 0 : tiles_of(box).samples_before(tile);
  return (boxes_->samples_before(box) + in_box) * sample_bytes_;
}

Piece PackedBoxesLayout::piece(Index ordinal) const {
  const Index first = start(ordinal).box;
  return contiguous_piece(ordinal, is_divided(first) ? 1 : static_cast<int>(start(ordinal + 1).box - first));
}

Box PackedBoxesLayout::in_grid(Box local, Index number) const {
  local.rank = boxes_->rank() + 1;
  local.lo[boxes_->rank()] = number;
  local.hi[boxes_->rank()] = number + 1;
  return local;
}

PiecePart PackedBoxesLayout::part(const Piece& piece, int number) const {
  const auto [first, tile] = start(piece.ordinal);
  if (is_divided(first)) return box_part(in_grid(tiles_of(first).box_of(tile), first));
  const Index box = first + number;
  return box_part(in_grid(Box::from_extent(boxes_->rank(), boxes_->extent(box)), box),
                  boxes_->samples_before(box) - boxes_->samples_before(first));
}

Index PackedBoxesLayout::first_piece_of(Index box) const {
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), box, [](Index wanted, const Start& s) {
    return wanted < s.box || (wanted == s.box && s.tile > 0);
  });
  return after - pieces_.begin() - 1;
}

/// That of the largest box.
Point PackedBoxesLayout::tile_extent(int /*level*/) const {
  Point extent = boxes_->domain();
  extent[boxes_->rank()] = 1;
  return extent;
}

void PackedBoxesLayout::visit_divided(Index box, const Box& inside, const VisitSegment& visit) const {
  const RowTiles tiles = tiles_of(box);
  const int rank = boxes_->rank();
  Box places = inside;
  places.rank = rank;
  places = coarsened(places, tiles.tile_extent());
  const Index first = first_piece_of(box);
  for_each_place(places, [&](const Point& place) {
    const Piece whole = piece(first + number_in(tiles.num_tiles_on(), rank, place));
    const PiecePart samples = part(whole, 0);
    visit(whole, samples, samples.lattice.indices_in(inside));
  });
}

void PackedBoxesLayout::for_each_segment(int /*field*/, const Box& box, Levels levels,
                                         const VisitSegment& visit) const {
  const Box wanted = intersect(box, domain_);
  if (wanted.empty() || !levels.contains(0)) return;
  const int rank = boxes_->rank();
  for (Index number = wanted.lo[rank]; number < wanted.hi[rank]; ++number) {
    const Box inside = intersect(wanted, in_grid(Box::from_extent(rank, boxes_->extent(number)), number));
    if (inside.empty()) continue;
    if (is_divided(number)) {
      visit_divided(number, inside, visit);
      continue;
    }
    const Piece whole = piece(first_piece_of(number));
    const PiecePart samples = part(whole, static_cast<int>(number - start(whole.ordinal).box));
    visit(whole, samples, samples.lattice.indices_in(inside));
  }
}

}  // namespace esker
