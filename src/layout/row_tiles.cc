#include "layout/row_tiles.h"

#include <algorithm>

#include "base/checked.h"
#include "layout/places.h"

namespace esker {
namespace {

// Of what is read along the dense axis at a time: some lines of memory.
constexpr Index kDenseBytes = 128;

}  // namespace

// Whole on the axes below the one along which the rows of a plane are cut; single indices above it.
RowTilesLayout::RowTilesLayout(int rank, const Point& extent, Index sample_bytes, Index offset_bytes,
                               Index piece_bytes, const Tiles& tiles)
    : OneVariableLayout(rank, extent, sample_bytes, offset_bytes),
      plane_axis_(tiles.axis),
      in_slabs_(tiles.in_slabs) {
  const Index samples = std::max<Index>(1, piece_bytes / sample_bytes);
  const Index depth = tiles.depth > 0 ? tiles.depth : std::max<Index>(1, kDenseBytes / sample_bytes);
  tile_[plane_axis_] = std::min({extent[plane_axis_], samples, depth});
  Index room = samples / tile_[plane_axis_];  // of a plane
  Index stride = 1;
  for (int a = 0; a < rank; ++a) {
    if (a < plane_axis_) {
      tile_[a] = std::min(extent[a], room);
      room = tile_[a] == extent[a] ? std::max<Index>(1, room / extent[a]) : 1;
    }
    strides_[a] = stride;
    stride *= extent[a];
    num_tiles_on_[a] = div_up(extent[a], tile_[a]);
    num_tiles_ *= num_tiles_on_[a];
  }
}

Box RowTilesLayout::box_of(Index ordinal) const {
  const Point place = place_in(num_tiles_on_, domain_.rank, ordinal);
  Box box = domain_;
  for (int a = 0; a < domain_.rank; ++a) {
    box.lo[a] = place[a] * tile_[a];
    box.hi[a] = std::min(box.lo[a] + tile_[a], domain_.hi[a]);
  }
  return box;
}

Index RowTilesLayout::depth_at(const Point& place) const {
  const Index first = place[plane_axis_] * tile_[plane_axis_];
  return std::min(tile_[plane_axis_], domain_.hi[plane_axis_] - first);
}

// Tiles beside each other on the axes below the dense one have as many planes each.
Index RowTilesLayout::samples_before(const Point& place) const {
  const Index depth = depth_at(place);
  Index samples = 0;
  for (int a = 0; a < domain_.rank; ++a) {
    samples += place[a] * tile_[a] * strides_[a] * (a < plane_axis_ ? depth : 1);
  }
  return samples;
}

Point RowTilesLayout::place_of(Index sample) const {
  Point place{};
  for (int a = domain_.rank; a-- > 0;) {
    if (num_tiles_on_[a] == 1) continue;
    const Index step = tile_[a] * strides_[a] * (a < plane_axis_ ? depth_at(place) : 1);
    place[a] = sample / step;
    sample %= step;
  }
  return place;
}

Index RowTilesLayout::position_bytes(Index ordinal) const {
  const Index samples = ordinal == num_tiles_
                            ? domain_.num_samples()
                            : samples_before(place_in(num_tiles_on_, domain_.rank, ordinal));
  return samples * sample_bytes_;
}

Piece RowTilesLayout::piece(Index ordinal) const {
  Piece piece;
  piece.ordinal = piece.id = ordinal;
  piece.position_bytes = position_bytes(ordinal);
  piece.offset_bytes = file_at(piece.position_bytes).data_offset_bytes;
  piece.size_bytes = box_of(ordinal).num_samples() * sample_bytes_;
  piece.sample_bytes = sample_bytes_;
  return piece;
}

PiecePart RowTilesLayout::part(const Piece& piece, int /*number*/) const {
  return box_part(box_of(piece.ordinal));
}

/// The stretch of one plane of a tile.
Layout::FileSpan RowTilesLayout::file_at(Index position) const {
  const Index sample = position / sample_bytes_;
  const Point place = place_of(sample);
  const Box box = box_of(number_in(num_tiles_on_, domain_.rank, place));
  const Index begin = samples_before(place);
  const Index size = box.num_samples() / box.extent(plane_axis_);
  const Index plane = (sample - begin) / size;
  Index offset = plane * strides_[plane_axis_];
  for (int a = 0; a < domain_.rank; ++a) offset += box.lo[a] * strides_[a];
  const Index first = (begin + plane * size) * sample_bytes_;
  return {0, first, first + size * sample_bytes_, offset_bytes_ + offset * sample_bytes_};
}

Index RowTilesLayout::largest_piece_bytes() const { return box_of(0).num_samples() * sample_bytes_; }

int RowTilesLayout::share_of(Index ordinal, const BrickDecomposition& bricks) const {
  if (!in_slabs_) return OneVariableLayout::share_of(ordinal, bricks);
  const Index planes = num_tiles_on_[plane_axis_];
  return share_of_stretch(ordinal / (num_tiles_ / planes), planes, bricks);
}

std::vector<std::vector<Layout::Run>> RowTilesLayout::runs_of_shares(const BrickDecomposition& bricks) const {
  if (!in_slabs_) return OneVariableLayout::runs_of_shares(bricks);
  const Index planes = num_tiles_on_[plane_axis_], tiles = num_tiles_ / planes;
  auto shares = stretches_of_shares(planes, bricks);
  for (std::vector<Run>& runs : shares) {
    for (Run& run : runs) run = {run.first * tiles, run.last * tiles};
  }
  return shares;
}

void RowTilesLayout::for_each_segment(int /*field*/, const Box& box, Levels levels,
                                      const VisitSegment& visit) const {
  const Box inside = intersect(box, domain_);
  if (inside.empty() || !levels.contains(0)) return;
  Box tiles = inside;
  for (int a = 0; a < inside.rank; ++a) {
    tiles.lo[a] = inside.lo[a] / tile_[a];
    tiles.hi[a] = (inside.hi[a] - 1) / tile_[a] + 1;
  }
  for_each_place(tiles, [&](const Point& place) {
    const Piece whole = piece(number_in(num_tiles_on_, inside.rank, place));
    const PiecePart samples = part(whole, 0);
    visit(whole, samples, samples.lattice.indices_in(inside));
  });
}

}  // namespace esker
