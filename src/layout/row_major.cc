#include "layout/row_major.h"

#include <algorithm>

#include "base/checked.h"

namespace esker {

RowMajorLayout::RowMajorLayout(int rank, const Point& extent, Index sample_bytes, Index offset_bytes,
                               Index piece_bytes)
    : OneVariableLayout(rank, extent, sample_bytes, offset_bytes),
      piece_bytes_(std::max<Index>(1, piece_bytes / sample_bytes) * sample_bytes) {
  strides_[0] = 1;
  for (int a = 0; a < rank; ++a) strides_[a + 1] = strides_[a] * extent[a];
}

// A piece is a stripe, or one of the equal parts of a stripe that are small enough.
RowMajorLayout::RowMajorLayout(int rank, const Point& extent, Index sample_bytes, Index offset_bytes,
                               Index piece_bytes, const Stripes& stripes)
    : RowMajorLayout(rank, extent, sample_bytes, offset_bytes, piece_bytes) {
  piece_bytes_ = stripes.size_bytes;
  while (piece_bytes_ > piece_bytes && piece_bytes_ % 2 == 0 && piece_bytes_ / 2 >= sample_bytes) {
    piece_bytes_ /= 2;
  }
  phase_ = stripes.offset_bytes % piece_bytes_;
  pieces_of_a_stripe_ = stripes.size_bytes / piece_bytes_;
  pieces_before_ = stripes.offset_bytes / piece_bytes_;
}

Index RowMajorLayout::num_pieces() const { return piece_of(domain_.num_samples() - 1) + 1; }

Index RowMajorLayout::first_sample(Index ordinal) const {
  const Index begin = std::max<Index>(0, ordinal * piece_bytes_ - phase_);
  return std::min(div_up(begin, sample_bytes_), domain_.num_samples());
}

Index RowMajorLayout::position_bytes(Index ordinal) const { return first_sample(ordinal) * sample_bytes_; }

Index RowMajorLayout::largest_piece_bytes() const {
  return std::min(round_up(piece_bytes_, sample_bytes_), domain_.num_samples() * sample_bytes_);
}

Layout::FileSpan RowMajorLayout::file_at(Index /*position*/) const {
  return {0, 0, domain_.num_samples() * sample_bytes_, offset_bytes_};
}

Point RowMajorLayout::point_at(Index sample) const {
  Point point{};
  for (int a = 0; a < domain_.rank; ++a) point[a] = sample % strides_[a + 1] / strides_[a];
  return point;
}

Index RowMajorLayout::sample_at(const Point& point) const {
  Index sample = 0;
  for (int a = 0; a < domain_.rank; ++a) sample += point[a] * strides_[a];
  return sample;
}

// From each sample on, as many complete rows, planes ... of the highest axis as begin there and end in the
// piece.
RowMajorLayout::Parts RowMajorLayout::parts_of(Index ordinal) const {
  Parts parts;
  Index sample = first_sample(ordinal);
  const Index end = first_sample(ordinal + 1);
  while (sample < end) {
    int axis = 0;
    while (axis + 1 < domain_.rank && sample % strides_[axis + 1] == 0 &&
           sample + strides_[axis + 1] <= end) {
      ++axis;
    }
    const Index to_border = (strides_[axis + 1] - sample % strides_[axis + 1]) / strides_[axis];
    const Index n = std::min((end - sample) / strides_[axis], to_border);
    Box box{domain_.rank, point_at(sample), {}};
    for (int a = 0; a < domain_.rank; ++a) {
      box.hi[a] = a < axis ? domain_.hi[a] : box.lo[a] + (a == axis ? n : 1);
    }
    parts.boxes[static_cast<std::size_t>(parts.n++)] = box;
    sample += n * strides_[axis];
  }
  return parts;
}

PiecePart RowMajorLayout::make_part(const Parts& parts, int number) const {
  const Box& box = parts.boxes[static_cast<std::size_t>(number)];
  return box_part(box, sample_at(box.lo) - sample_at(parts.boxes[0].lo));
}

Piece RowMajorLayout::piece(Index ordinal) const { return contiguous_piece(ordinal, parts_of(ordinal).n); }

PiecePart RowMajorLayout::part(const Piece& piece, int number) const {
  return make_part(parts_of(piece.ordinal), number);
}

std::vector<std::vector<Layout::Run>> RowMajorLayout::runs_of_shares(const BrickDecomposition& bricks) const {
  if (pieces_of_a_stripe_ == 0) return OneVariableLayout::runs_of_shares(bricks);
  std::vector<std::vector<Run>> shares(static_cast<std::size_t>(bricks.num_parts()));
  for (Index first = 0; first < num_pieces();) {
    const Index in_stripe = (pieces_before_ + first) % pieces_of_a_stripe_;
    const Index last = std::min(first + pieces_of_a_stripe_ - in_stripe, num_pieces());
    const Index share = (pieces_before_ + first) / pieces_of_a_stripe_ % bricks.num_parts();
    shares[static_cast<std::size_t>(share)].push_back({first, last});
    first = last;
  }
  return shares;
}

/// Complete below the axis along which a piece is split.
Point RowMajorLayout::tile_extent(int /*level*/) const {
  Point extent{1, 1, 1, 1, 1};
  const Index piece_samples = largest_piece_bytes() / sample_bytes_;
  for (int a = 0; a < domain_.rank; ++a) {
    if (strides_[a] > piece_samples) break;
    extent[a] = std::min(domain_.hi[a], div_up(piece_samples, strides_[a]));
  }
  return extent;
}

void RowMajorLayout::for_each_segment(int /*field*/, const Box& box, Levels levels,
                                      const VisitSegment& visit) const {
  const Box inside = intersect(box, domain_);
  if (inside.empty() || !levels.contains(0)) return;
  Point last = inside.hi;
  for (int a = 0; a < inside.rank; ++a) --last[a];
  const Index end = piece_of(sample_at(last));
  for (Index ordinal = piece_of(sample_at(inside.lo)); ordinal <= end; ++ordinal) {
    const Parts parts = parts_of(ordinal);
    for (int number = 0; number < parts.n; ++number) {
      if (intersect(parts.boxes[static_cast<std::size_t>(number)], inside).empty()) continue;
      const PiecePart part = make_part(parts, number);
      visit(contiguous_piece(ordinal, parts.n), part, part.lattice.indices_in(inside));
    }
  }
}

}  // namespace esker
