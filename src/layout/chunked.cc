#include "layout/chunked.h"

#include <algorithm>

#include "base/checked.h"
#include "grid/coarsened.h"
#include "layout/places.h"

namespace esker {
namespace {

// Bytes that are read along the dense axis at a time: some lines of memory.
constexpr Index kDenseBytes = 128;

RowTiles::Planes planes_of(int rank, Index sample_bytes, const ChunkedLayout::Tiles& tiles) {
  if (tiles.in_slabs) return {rank - 1, 1};
  return {tiles.dense_axis, std::max<Index>(1, kDenseBytes / sample_bytes)};
}

TiledOrder order_of_chunks(int rank, const Point& extent, const ChunkedLayout::Shape& shape) {
  Point counts{1, 1, 1, 1, 1}, per_file{1, 1, 1, 1, 1};
  for (int a = 0; a < rank; ++a) {
    counts[a] = div_up(extent[a], shape.chunk[a]);
    per_file[a] = shape.chunks_per_file[a] == 0 ? counts[a] : shape.chunks_per_file[a];
  }
  return {rank, counts, per_file};
}

}  // namespace

ChunkedLayout::ChunkedLayout(int rank, const Point& extent, Index sample_bytes, const Shape& shape,
                             Index offset_bytes, const Tiles& tiles)
    : OneVariableLayout(rank, extent, sample_bytes, offset_bytes),
      chunk_(shape.chunk),
      chunks_(order_of_chunks(rank, extent, shape)),
      tiles_(rank, shape.chunk, tiles.piece_bytes / sample_bytes, planes_of(rank, sample_bytes, tiles)),
      has_planes_(tiles.dense_axis > 0 && !tiles.in_slabs),
      pieces_together_(tiles.in_slabs ? tiles_.tiles_of_planes() : 1),
      chunk_bytes_(Box::from_extent(rank, shape.chunk).num_samples() * sample_bytes),
      chunk_stride_bytes_(round_up(chunk_bytes_ + shape.spare_bytes, shape.alignment_bytes)) {}

Point ChunkedLayout::chunk_origin(Index chunk) const {
  Point origin = chunks_.cell_of(chunk);
  for (int a = 0; a < domain_.rank; ++a) origin[a] *= chunk_[a];
  return origin;
}

Box ChunkedLayout::box_of(Index ordinal) const {
  const Point origin = chunk_origin(ordinal / tiles_.num_tiles());
  Box box = tiles_.box_of(ordinal % tiles_.num_tiles());
  for (int a = 0; a < domain_.rank; ++a) {
    box.lo[a] += origin[a];
    box.hi[a] += origin[a];
  }
  return box;
}

Index ChunkedLayout::position_bytes(Index ordinal) const {
  return ordinal / tiles_.num_tiles() * chunk_stride_bytes_ +
         tiles_.samples_before(ordinal % tiles_.num_tiles()) * sample_bytes_;
}

Piece ChunkedLayout::piece(Index ordinal) const {
  Piece piece;
  piece.ordinal = piece.id = ordinal;
  piece.position_bytes = position_bytes(ordinal);
  const FileSpan span = file_at(piece.position_bytes);
  piece.file = span.file;
  piece.offset_bytes = span.data_offset_bytes + piece.position_bytes - span.begin;
  piece.size_bytes = box_of(ordinal).num_samples() * sample_bytes_;
  piece.sample_bytes = sample_bytes_;
  return piece;
}

PiecePart ChunkedLayout::part(const Piece& piece, int /*number*/) const {
  return box_part(box_of(piece.ordinal));
}

Layout::FileSpan ChunkedLayout::file_of_chunk(Index chunk) const {
  if (num_files() == 1) return {0, 0, num_chunks() * chunk_stride_bytes_, offset_bytes_};
  const Index file = chunks_.tile_of(chunk);
  return {file, chunks_.first_of_tile(file) * chunk_stride_bytes_,
          chunks_.first_of_tile(file + 1) * chunk_stride_bytes_, offset_bytes_};
}

/// One contiguous run of positions: all chunks of a file, or a part of a chunk. Padding after a chunk belongs
/// to its last run.
Layout::FileSpan ChunkedLayout::file_at(Index position) const {
  const Index chunk = position / chunk_stride_bytes_, begin = chunk * chunk_stride_bytes_;
  const Index in_chunk = std::min(position - begin, chunk_bytes_ - 1);
  const RowTiles::Stretch stretch = tiles_.stretch_at(in_chunk / sample_bytes_);
  const Index first = stretch.first * sample_bytes_, last = stretch.last * sample_bytes_;
  const FileSpan file = file_of_chunk(chunk);
  if (last - first == chunk_bytes_) return file;
  return {file.file, begin + first, begin + (last == chunk_bytes_ ? chunk_stride_bytes_ : last),
          offset_bytes_ + begin - file.begin + stretch.in_array * sample_bytes_};
}

Index ChunkedLayout::largest_piece_bytes() const {
  return tiles_.box_of(0).num_samples() * sample_bytes_ + chunk_stride_bytes_ - chunk_bytes_;
}

Index ChunkedLayout::place_of(Index ordinal) const {
  if (!has_planes_) return ordinal;
  const Index tile = ordinal % tiles_.num_tiles();
  return ordinal - tile + tiles_.number_by_rows(tile);
}

std::vector<std::vector<Layout::Run>> ChunkedLayout::runs_of_shares(const BrickDecomposition& bricks) const {
  if (has_planes_) {
    std::vector<std::vector<Run>> shares(static_cast<std::size_t>(bricks.num_parts()));
    for (Index ordinal = 0; ordinal < num_pieces(); ++ordinal) {
      const Index place = place_of(ordinal) / pieces_together_;
      const Index share = place * bricks.num_parts() / (num_pieces() / pieces_together_);
      append_to_runs(shares[static_cast<std::size_t>(share)], ordinal);
    }
    return shares;
  }
  auto shares = stretches_of_shares(num_pieces() / pieces_together_, bricks);
  for (std::vector<Run>& runs : shares) {
    for (Run& run : runs) run = {run.first * pieces_together_, run.last * pieces_together_};
  }
  return shares;
}

void ChunkedLayout::for_each_segment(int /*field*/, const Box& box, Levels levels,
                                     const VisitSegment& visit) const {
  const Box inside = intersect(box, domain_);
  if (inside.empty() || !levels.contains(0)) return;
  const Point& tile = tiles_.tile_extent();
  const Box chunks = coarsened(inside, chunk_);
  for_each_place(chunks, [&](const Point& place) {
    const Index first = chunks_.number_of(place) * tiles_.num_tiles();
    Box places = inside;  // of tiles in this chunk
    for (int a = 0; a < inside.rank; ++a) {
      const Index origin = place[a] * chunk_[a];
      places.lo[a] = std::max<Index>(inside.lo[a] - origin, 0) / tile[a];
      places.hi[a] = (std::min(inside.hi[a] - origin, chunk_[a]) - 1) / tile[a] + 1;
    }
    for_each_place(places, [&](const Point& of_tile) {
      const Piece whole = piece(first + number_in(tiles_.num_tiles_on(), inside.rank, of_tile));
      const PiecePart samples = part(whole, 0);
      visit(whole, samples, samples.lattice.indices_in(inside));
    });
  });
}

}  // namespace esker
