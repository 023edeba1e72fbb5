#include "formats/idx/idx_layout.h"

#include <algorithm>
#include <bit>

#include "base/checked.h"

namespace esker::idx {

IdxLayout::IdxLayout(const BlockGrid& blocks, std::vector<LayoutField> fields,
                     const LayoutParameters& parameters)
    : blocks_(blocks), fields_(std::move(fields)), parameters_(parameters) {
  const auto all = std::make_shared<const BlockSet>(blocks_);
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    number_of_present_.push_back(fields_[f].present ? static_cast<int>(present_.size()) : -1);
    if (!fields_[f].blocks) fields_[f].blocks = all;
    if (fields_[f].present) add_field(static_cast<int>(f));
  }
  total_ = before(blocks_.num_blocks());
  is_sparse_ =
      std::any_of(groups_.begin(), groups_.end(), [](const Group& g) { return !g.blocks->is_all(); });
  if (groups_.size() > 1 || is_sparse_) list_files();
  coarse_ = block_parts(blocks_, 0, parameters_.order);
  for (PiecePart& part : coarse_) part.level = blocks_.coarsest_level();
  const int bits = blocks_.bits_per_block();
  for (int level = blocks_.coarsest_level() + 1; level <= blocks_.mask().max_level(); ++level) {
    const Index first_block = Index{1} << (level - bits - 1);
    order_of_level_.push_back(block_parts(blocks_, first_block, parameters_.order).front().order);
  }
}

void IdxLayout::add_field(int number) {
  const LayoutField& field = fields_[static_cast<std::size_t>(number)];
  auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) {
    return g.blocks == field.blocks || *g.blocks == *field.blocks;
  });
  if (group == groups_.end()) group = groups_.insert(group, {field.blocks});
  FieldPlace place;
  place.field = number;
  place.group = static_cast<std::size_t>(group - groups_.begin());
  for (const Group& g : groups_) place.before.push_back({g.num_fields, g.bytes});
  place.bytes = round_up(blocks_.samples_per_block() * field.sample_bytes, block_alignment());
  ++group->num_fields;
  group->bytes += place.bytes;
  present_.push_back(std::move(place));
}

/// The files in which any field has blocks. O(blocks of all groups).
void IdxLayout::list_files() {
  std::vector<Index> files;
  for (const Group& group : groups_) {
    for (Index number = 0; number < group.blocks->size();) {
      const Index file = group.blocks->nth(number) / parameters_.blocks_per_file;
      files.push_back(file);
      number = group.blocks->num_before(end_block(file));
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  for (const Index file : files) files_.push_back(find_range(file));
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
  Index largest = 0;
  for (const FieldPlace& field : present_) largest = std::max(largest, field.bytes);
  return largest;
}

Index IdxLayout::num_fields() const {
  Index fields = 0;
  for (const Group& group : groups_) fields += group.blocks->size() > 0 ? group.num_fields : 0;
  return fields;
}

Index IdxLayout::num_files() const {
  if (groups_.size() != 1 || is_sparse_) return std::ssize(files_);
  const BlockSet& blocks = *groups_.front().blocks;
  Index files = 0;
  for (Index number = 0; number < blocks.size();) {
    const Index file = blocks.nth(number) / parameters_.blocks_per_file;
    number = blocks.num_before(end_block(file));
    ++files;
  }
  return files;
}

Index IdxLayout::data_start() const {
  return round_up(parameters_.headers_bytes, parameters_.alignment_bytes);
}

/// What all fields have in blocks below `block`.
IdxLayout::Amount IdxLayout::before(Index block) const {
  Amount amount;
  for (const Group& group : groups_) {
    const Index blocks = group.blocks->num_before(block);
    amount.pieces += blocks * group.num_fields;
    amount.bytes += blocks * group.bytes;
  }
  return amount;
}

IdxLayout::FileRange IdxLayout::range_of(Index file) const {
  const auto listed = std::lower_bound(files_.begin(), files_.end(), file,
                                       [](const FileRange& range, Index f) { return range.file < f; });
  return listed != files_.end() && listed->file == file ? *listed : find_range(file);
}

IdxLayout::FileRange IdxLayout::find_range(Index file) const {
  const Amount first = before(first_block(file)), end = before(end_block(file));
  return {file, first, {end.pieces - first.pieces, end.bytes - first.bytes}};
}

/// The file that holds the piece, or the byte, with number `amount`. With one group all files have the same
/// pieces per block, so that the number tells the block if the files are not listed.
template <class Key>
Index IdxLayout::file_with(Index amount, Key key) const {
  if (files_.empty()) {
    const Group& group = groups_.front();
    const Amount per_block{group.num_fields, group.bytes};
    return group.blocks->nth(amount / per_block.*key) / parameters_.blocks_per_file;
  }
  const auto after =
      std::upper_bound(files_.begin(), files_.end(), amount,
                       [&](Index at, const FileRange& range) { return at < range.before.*key; });
  return (after - 1)->file;
}

/// A field in a file, at its first block there.
IdxLayout::Place IdxLayout::place_of(const FileRange& range, std::size_t present_field) const {
  Place place{range, present_field};
  const FieldPlace& field = present_[present_field];
  if (groups_.size() == 1) {
    const Index in_file = range.in_file.pieces / std::ssize(present_);
    place.before = {in_file * field.before[0].pieces, in_file * field.before[0].bytes};
    place.first_number = range.before.pieces / std::ssize(present_);
  } else {
    for (std::size_t g = 0; g < field.before.size(); ++g) {
      const Index in_file = groups_[g].blocks->num_before(end_block(range.file)) -
                            groups_[g].blocks->num_before(first_block(range.file));
      place.before.pieces += in_file * field.before[g].pieces;
      place.before.bytes += in_file * field.before[g].bytes;
    }
    place.first_number = groups_[field.group].blocks->num_before(first_block(range.file));
  }
  place.number = place.first_number;
  return place;
}

IdxLayout::Place IdxLayout::place_of(Index ordinal) const {
  const FileRange range = range_of(file_with(ordinal, &Amount::pieces));
  const Index in_file = ordinal - range.before.pieces;
  std::size_t first = 0, last = present_.size();
  if (groups_.size() == 1) {
    first = static_cast<std::size_t>(in_file / (range.in_file.pieces / std::ssize(present_)));
  } else {  // the last field that begins at or before the piece; those before it may be empty
    while (last - first > 1) {
      const std::size_t middle = (first + last) / 2;
      (place_of(range, middle).before.pieces > in_file ? last : first) = middle;
    }
  }
  Place place = place_of(range, first);
  place.number += in_file - place.before.pieces;
  return place;
}

/// The number after that of the field's last block in the file.
Index IdxLayout::end_number(const Place& place) const {
  return groups_[present_[place.present_field].group].blocks->num_before(end_block(place.range.file));
}

Index IdxLayout::position_bytes(Index ordinal) const {
  return ordinal == total_.pieces ? total_.bytes : make_piece(place_of(ordinal), 0).position_bytes;
}

Layout::FileSpan IdxLayout::file_at(Index position) const {
  const FileRange range = range_of(file_with(position, &Amount::bytes));
  return {range.file, range.before.bytes, range.before.bytes + range.in_file.bytes, data_start()};
}

Piece IdxLayout::make_piece(const Place& place, Index block) const {
  const FieldPlace& field = present_[place.present_field];
  const Index number_in_file = place.number - place.first_number;
  const Index in_file = place.before.bytes + number_in_file * field.bytes;
  Piece piece;
  piece.ordinal = place.range.before.pieces + place.before.pieces + number_in_file;
  piece.position_bytes = place.range.before.bytes + in_file;
  piece.file = place.range.file;
  piece.field = field.field;
  piece.sample_bytes = fields_[static_cast<std::size_t>(field.field)].sample_bytes;
  piece.size_bytes = blocks_.samples_per_block() * piece.sample_bytes;
  piece.offset_bytes = data_start() + in_file;
  piece.id = block;
  piece.num_parts = block < blocks_.num_first_blocks() ? static_cast<int>(coarse_.size()) : 1;
  return piece;
}

PiecePart IdxLayout::part(const Piece& piece, int number) const {
  const Lattice samples = blocks_.lattice(piece.id);
  if (piece.id < blocks_.num_first_blocks()) {
    PiecePart part = coarse_[static_cast<std::size_t>(number)];
    for (int a = 0; a < samples.rank; ++a) part.lattice.origin[a] += samples.origin[a];
    return part;
  }
  const int level = blocks_.level_of_block(piece.id);
  return {samples, 0, order_of_level_[static_cast<std::size_t>(level - blocks_.coarsest_level() - 1)], level};
}

Piece IdxLayout::piece(Index ordinal) const {
  const Place place = place_of(ordinal);
  return make_piece(place, groups_[present_[place.present_field].group].blocks->nth(place.number));
}

void IdxLayout::for_each_piece(Index first, Index last, const VisitPiece& visit) const {
  while (first < last) {
    Place place = place_of(first);
    const BlockSet& blocks = *groups_[present_[place.present_field].group].blocks;
    const Index begin = place.number;  // the others of its field and file follow
    const Index end = std::min(end_number(place), begin + last - first);
    blocks.for_each(begin, end, [&](Index block) {
      visit(make_piece(place, block));
      ++place.number;
    });
    first += end - begin;
  }
}

void IdxLayout::for_each_piece_of(Index file, const VisitPiece& visit) const {
  const FileRange range = range_of(file);
  for_each_piece(range.before.pieces, range.before.pieces + range.in_file.pieces, visit);
}

Piece IdxLayout::piece_of(int field, Index block) const {
  const auto present = static_cast<std::size_t>(number_of_present_[static_cast<std::size_t>(field)]);
  Place place = place_of(range_of(block / parameters_.blocks_per_file), present);
  place.number = blocks_of(field).num_before(block);
  return make_piece(place, block);
}

/// The pieces of blocks [first, last) in a file that has other blocks, too.
void IdxLayout::add_fields_of_file(Index file, Index first, Index last,
                                   std::vector<RunOfBlocks>& runs) const {
  const FileRange range = range_of(file);
  for (std::size_t present = 0; present < present_.size(); ++present) {
    const BlockSet& blocks = *groups_[present_[present].group].blocks;
    const Place place = place_of(range, present);
    const Index begin = range.before.pieces + place.before.pieces - place.first_number;
    const Run run{begin + blocks.num_before(std::max(first, first_block(file))),
                  begin + blocks.num_before(std::min(last, end_block(file)))};
    if (run.first < run.last) runs.push_back({run, present_[present].field});
  }
}

std::vector<Layout::RunOfBlocks> IdxLayout::runs_of_blocks(Index first, Index last) const {
  std::vector<RunOfBlocks> runs;
  if (first >= last) return runs;
  const Index per_file = parameters_.blocks_per_file;
  Index file = first / per_file, end_file = (last - 1) / per_file + 1;
  const bool cuts_last = end_block(end_file - 1) > last;
  if (first_block(file) < first || (cuts_last && file == end_file - 1)) {
    add_fields_of_file(file++, first, last, runs);
  }
  const Index end_of_complete = cuts_last ? std::max(file, end_file - 1) : end_file;
  if (file < end_of_complete) {
    const Run run{before(first_block(file)).pieces, before(end_block(end_of_complete - 1)).pieces};
    if (run.first < run.last) runs.push_back({run, -1});
  }
  if (end_of_complete < end_file) add_fields_of_file(end_of_complete, first, last, runs);
  return runs;
}

Levels IdxLayout::levels() const { return {blocks_.coarsest_level(), blocks_.mask().max_level() + 1}; }

Point IdxLayout::tile_extent(int level) const {
  const bool is_coarsest = level == blocks_.coarsest_level();
  const Index block = is_coarsest ? 0 : Index{1} << (level - blocks_.bits_per_block() - 1);
  const Lattice samples = blocks_.lattice(block);
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
    blocks_of(field).for_each_block_meeting(box, level, visit_parts);
  }
}

}  // namespace esker::idx
