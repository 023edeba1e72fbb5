#include "formats/idx/idx_layout.h"

#include <algorithm>
#include <bit>

#include "base/checked.h"

namespace esker::idx {

IdxLayout::IdxLayout(const BlockGrid& blocks, std::vector<LayoutField> fields,
                     const LayoutParameters& parameters)
    : blocks_(blocks),
      fields_(std::move(fields)),
      parameters_(parameters),
      num_existing_(blocks.num_existing()) {
  stored_before_.push_back(0);
  const Index unit = block_alignment();
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    number_of_present_.push_back(fields_[f].present ? static_cast<int>(present_.size()) : -1);
    if (!fields_[f].present) continue;
    present_.push_back(static_cast<int>(f));
    const Index block_bytes = blocks_.samples_per_block() * fields_[f].sample_bytes;
    stored_bytes_.push_back(round_up(block_bytes, unit));
    stored_before_.push_back(stored_before_.back() + stored_bytes_.back());
  }
  num_present_ = static_cast<Index>(present_.size());
  coarse_ = block_parts(blocks_, 0, parameters_.order);
  for (PiecePart& part : coarse_) part.level = blocks_.bits_per_block();
  const int bits = blocks_.bits_per_block();
  for (int level = bits + 1; level <= blocks_.mask().max_level(); ++level) {
    const Index first_block = Index{1} << (level - bits - 1);
    order_of_level_.push_back(block_parts(blocks_, first_block, parameters_.order).front().order);
  }
}

// One unit for all fields keeps positions linear in the number of blocks; blocks smaller than `alignment` are
// not padded up to it.
Index IdxLayout::block_alignment() const {
  Index smallest = parameters_.alignment_bytes;
  for (const LayoutField& field : fields_) {
    if (field.present) smallest = std::min(smallest, blocks_.samples_per_block() * field.sample_bytes);
  }
  return smallest == parameters_.alignment_bytes
             ? smallest
             : static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(smallest)));
}

Index IdxLayout::end_block(Index file) const { return std::min(first_block(file + 1), blocks_.num_blocks()); }

Index IdxLayout::largest_piece_bytes() const {
  return stored_bytes_.empty() ? 0 : *std::max_element(stored_bytes_.begin(), stored_bytes_.end());
}

Index IdxLayout::num_files() const {
  Index files = 0;
  if (num_present_ == 0) return files;
  for (Index existing = 0; existing < num_existing_;) {
    const Index file = blocks_.nth_existing(existing) / parameters_.blocks_per_file;
    existing = blocks_.num_existing_before(end_block(file));
    ++files;
  }
  return files;
}

Index IdxLayout::data_start() const {
  return round_up(parameters_.headers_bytes, parameters_.alignment_bytes);
}

IdxLayout::FileRange IdxLayout::range_of(Index file) const {
  const Index before = blocks_.num_existing_before(first_block(file));
  return {file, before, blocks_.num_existing_before(end_block(file)) - before};
}

// The pieces of the files before file f number existing_before(f) * num_present, so ordinal / num_present
// counts existing blocks up to some block of the ordinal's file.
IdxLayout::Place IdxLayout::place_of(Index ordinal) const {
  Place place;
  place.range = range_of(blocks_.nth_existing(ordinal / num_present_) / parameters_.blocks_per_file);
  const Index rest = ordinal - place.range.existing_before * num_present_;
  place.present_field = static_cast<int>(rest / place.range.num_existing);
  place.number_in_file = rest % place.range.num_existing;
  return place;
}

Index IdxLayout::position_of(const Place& place) const {
  return place.range.existing_before * stored_before_.back() +
         place.range.num_existing * stored_before_[place.present_field] +
         place.number_in_file * stored_bytes_[place.present_field];
}

Index IdxLayout::position_bytes(Index ordinal) const {
  if (ordinal == num_pieces()) return num_existing_ * stored_before_.back();
  return position_of(place_of(ordinal));
}

Layout::FileSpan IdxLayout::file_at(Index position) const {
  const Index existing = position / stored_before_.back();
  const FileRange range = range_of(blocks_.nth_existing(existing) / parameters_.blocks_per_file);
  const Index begin = range.existing_before * stored_before_.back();
  return {range.file, begin, begin + range.num_existing * stored_before_.back(), data_start()};
}

Piece IdxLayout::make_piece(const Place& place, Index block) const {
  Piece piece;
  piece.ordinal = place.range.existing_before * num_present_ +
                  place.present_field * place.range.num_existing + place.number_in_file;
  piece.position_bytes = position_of(place);
  piece.file = place.range.file;
  piece.field = present_[place.present_field];
  piece.sample_bytes = fields_[piece.field].sample_bytes;
  piece.size_bytes = blocks_.samples_per_block() * piece.sample_bytes;
  piece.offset_bytes =
      data_start() + piece.position_bytes - place.range.existing_before * stored_before_.back();
  piece.id = block;
  piece.num_parts = block == 0 ? static_cast<int>(coarse_.size()) : 1;
  return piece;
}

PiecePart IdxLayout::part(const Piece& piece, int number) const {
  if (piece.id == 0) {
    return coarse_[static_cast<std::size_t>(number)];
  }
  const int level = blocks_.level_of_block(piece.id);
  return {blocks_.lattice(piece.id), 0,
          order_of_level_[static_cast<std::size_t>(level - blocks_.bits_per_block() - 1)], level};
}

Piece IdxLayout::piece(Index ordinal) const {
  const Place place = place_of(ordinal);
  return make_piece(place, blocks_.nth_existing(place.range.existing_before + place.number_in_file));
}

void IdxLayout::for_each_piece(Index first, Index last, const VisitPiece& visit) const {
  while (first < last) {
    Place place = place_of(first);  // the others of its field and file follow
    for (; first < last && place.number_in_file < place.range.num_existing; ++first, ++place.number_in_file) {
      visit(make_piece(place, blocks_.nth_existing(place.range.existing_before + place.number_in_file)));
    }
  }
}

Piece IdxLayout::piece_of(int field, Index block) const {
  const FileRange range = range_of(block / parameters_.blocks_per_file);
  return make_piece(
      {range, number_of_present_[field], blocks_.num_existing_before(block) - range.existing_before}, block);
}

Levels IdxLayout::levels() const { return {blocks_.bits_per_block(), blocks_.mask().max_level() + 1}; }

Point IdxLayout::tile_extent(int level) const {
  const Bitmask& mask = blocks_.mask();
  if (level == blocks_.bits_per_block()) return mask.pow2_box().hi;
  const Index first_block = Index{1} << (level - blocks_.bits_per_block() - 1);
  const Lattice samples = blocks_.lattice(first_block);
  Point extent = samples.count;
  for (int a = 0; a < samples.rank; ++a) extent[a] *= samples.stride[a];
  return extent;
}

void IdxLayout::for_each_segment(int field, const Box& box, Levels levels, const VisitSegment& visit) const {
  const auto visit_parts = [&](Index block) {
    const Piece whole = piece_of(field, block);
    for (int number = 0; number < whole.num_parts; ++number) {
      const PiecePart samples = part(whole, number);
      const Box indices = samples.lattice.indices_in(box);
      if (!indices.empty()) visit(whole, samples, indices);
    }
  };
  for (int level = levels.first; level < levels.last; ++level) {
    blocks_.for_each_block_meeting(box, level, visit_parts);
  }
}

}  // namespace esker::idx
