#include "layout/chunked.h"

#include <algorithm>

#include "base/checked.h"
#include "layout/places.h"

namespace esker {

// A slab is whole on the fast axes, as far as that fits, then as much of the next one as fits.
ChunkedLayout::ChunkedLayout(int rank, const Point& extent, Index sample_bytes, const Shape& shape,
                             Index offset_bytes, Index piece_bytes)
    : OneVariableLayout(rank, extent, sample_bytes, offset_bytes), chunk_(shape.chunk) {
  Index room = std::max<Index>(1, piece_bytes / sample_bytes);  // samples along the axis, of a piece
  for (int a = 0; a < rank; ++a) {
    slab_[a] = std::min(chunk_[a], room);
    room = slab_[a] == chunk_[a] ? std::max<Index>(1, room / chunk_[a]) : 1;
    num_slabs_on_[a] = div_up(chunk_[a], slab_[a]);
    num_chunks_on_[a] = div_up(extent[a], chunk_[a]);
    num_chunks_ *= num_chunks_on_[a];
    slabs_per_chunk_ *= num_slabs_on_[a];
    chunk_samples_ *= chunk_[a];
  }
  chunk_stride_bytes_ = round_up(chunk_samples_ * sample_bytes, shape.alignment_bytes);
}

Point ChunkedLayout::chunk_origin(Index chunk) const {
  Point origin = place_in(num_chunks_on_, domain_.rank, chunk);
  for (int a = 0; a < domain_.rank; ++a) origin[a] *= chunk_[a];
  return origin;
}

// Only one axis is cut; on the slower ones slabs are single indices, on the faster ones whole.
Index ChunkedLayout::samples_before(Index slab) const {
  if (slab == slabs_per_chunk_) return chunk_samples_;
  const Point place = place_in(num_slabs_on_, domain_.rank, slab);
  Point first{};
  for (int a = 0; a < domain_.rank; ++a) first[a] = place[a] * slab_[a];
  return number_in(chunk_, domain_.rank, first);
}

Box ChunkedLayout::box_of(Index ordinal) const {
  const Point origin = chunk_origin(ordinal / slabs_per_chunk_);
  const Point place = place_in(num_slabs_on_, domain_.rank, ordinal % slabs_per_chunk_);
  Box box = domain_;
  for (int a = 0; a < domain_.rank; ++a) {
    box.lo[a] = origin[a] + place[a] * slab_[a];
    box.hi[a] = std::min(box.lo[a] + slab_[a], origin[a] + chunk_[a]);
  }
  return box;
}

Index ChunkedLayout::position_bytes(Index ordinal) const {
  if (ordinal == num_pieces()) return num_chunks_ * chunk_stride_bytes_;
  return ordinal / slabs_per_chunk_ * chunk_stride_bytes_ +
         samples_before(ordinal % slabs_per_chunk_) * sample_bytes_;
}

Piece ChunkedLayout::piece(Index ordinal) const {
  const Index slab = ordinal % slabs_per_chunk_;
  Piece piece;
  piece.ordinal = piece.id = ordinal;
  piece.position_bytes = position_bytes(ordinal);
  piece.offset_bytes = offset_bytes_ + piece.position_bytes;
  piece.size_bytes = (samples_before(slab + 1) - samples_before(slab)) * sample_bytes_;
  piece.sample_bytes = sample_bytes_;
  return piece;
}

PiecePart ChunkedLayout::part(const Piece& piece, int /*number*/) const {
  return box_part(box_of(piece.ordinal));
}

Layout::FileSpan ChunkedLayout::file_at(Index /*position*/) const {
  return {0, 0, num_chunks_ * chunk_stride_bytes_, offset_bytes_};
}

Index ChunkedLayout::largest_piece_bytes() const {
  Index samples = 1;
  for (int a = 0; a < domain_.rank; ++a) samples *= slab_[a];
  const Index padding = chunk_stride_bytes_ - chunk_samples_ * sample_bytes_;
  return samples * sample_bytes_ + padding;
}

void ChunkedLayout::for_each_segment(int /*field*/, const Box& box, Levels levels,
                                     const VisitSegment& visit) const {
  const Box inside = intersect(box, domain_);
  if (inside.empty() || !levels.contains(0)) return;
  Box chunks = inside;
  for (int a = 0; a < inside.rank; ++a) {
    chunks.lo[a] = inside.lo[a] / chunk_[a];
    chunks.hi[a] = (inside.hi[a] - 1) / chunk_[a] + 1;
  }
  for_each_place(chunks, [&](const Point& place) {
    const Index first = number_in(num_chunks_on_, inside.rank, place) * slabs_per_chunk_;
    Box slabs = inside;  // of this chunk
    for (int a = 0; a < inside.rank; ++a) {
      const Index origin = place[a] * chunk_[a];
      slabs.lo[a] = std::max<Index>(inside.lo[a] - origin, 0) / slab_[a];
      slabs.hi[a] = (std::min(inside.hi[a] - origin, chunk_[a]) - 1) / slab_[a] + 1;
    }
    for_each_place(slabs, [&](const Point& slab) {
      const Piece whole = piece(first + number_in(num_slabs_on_, inside.rank, slab));
      const PiecePart samples = part(whole, 0);
      visit(whole, samples, samples.lattice.indices_in(inside));
    });
  });
}

}  // namespace esker
