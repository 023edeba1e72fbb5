#include "formats/vtkhdf/run_sums.h"

#include "base/macros.h"
#include "model/level_fields.h"
#include "store/checksum.h"

namespace esker::vtkhdf {

Runs::Runs(const Schema& schema, const BoxesOfLevels& boxes, const std::vector<bool>& stored,
           Index run_bytes) {
  const std::vector<LevelField> all = level_fields(schema);
  of_fields_.resize(all.size());
  for (int level = 0; level < std::ssize(boxes); ++level) {  // as in the file
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (all[n].level != level || !stored[n]) continue;
      const Index sample_bytes = schema.fields()[static_cast<std::size_t>(all[n].field)].sample_bytes();
      OfField& of = of_fields_[n];
      of.layout.emplace(boxes[static_cast<std::size_t>(level)], sample_bytes, 0, run_bytes);
      of.layout->for_each_piece(0, of.layout->num_pieces(), [&](const Piece& piece) {
        of.first_run.push_back(size_);
        size_ += piece.num_parts;
      });
    }
  }
}

Runs::Run Runs::run_of(const OfField& of, const Piece& piece, const PiecePart& part) const {
  const int axis = of.layout->domain().rank - 1;
  const Index patch = part.lattice.origin[axis];
  const Index number = patch - of.layout->part(piece, 0).lattice.origin[axis];
  return {of.first_run[static_cast<std::size_t>(piece.ordinal)] + number, patch,
          piece.position_bytes + part.first_sample * piece.sample_bytes,
          part.lattice.num_samples() * piece.sample_bytes};
}

Status Runs::for_each(std::size_t level_field, const std::function<Status(const Run&)>& visit) const {
  const OfField& of = of_fields_[level_field];
  if (!of.layout) return {};
  for (Index ordinal = 0; ordinal < of.layout->num_pieces(); ++ordinal) {
    const Piece piece = of.layout->piece(ordinal);
    for (int n = 0; n < piece.num_parts; ++n) {
      ESKER_RETURN_IF_ERROR(visit(run_of(of, piece, of.layout->part(piece, n))));
    }
  }
  return {};
}

Status Runs::for_each_in(std::size_t level_field, const Box& box, Index patch,
                         const std::function<Status(const Run&)>& visit) const {
  const OfField& of = of_fields_[level_field];
  if (!of.layout) return {};
  Box in_grid = box;
  in_grid.rank = box.rank + 1;
  in_grid.lo[box.rank] = patch;
  in_grid.hi[box.rank] = patch + 1;
  Status status;
  of.layout->for_each_segment(0, in_grid,
                              [&](const Piece& piece, const PiecePart& part, const Box& /*indices*/) {
                                if (status.ok()) status = visit(run_of(of, piece, part));
                              });
  return status;
}

std::uint64_t sum_of_step(std::span<const MeshBox> patches, std::span<const std::uint64_t> sums) {
  std::vector<Index> numbers;
  for (const MeshBox& patch : patches) {
    numbers.push_back(patch.level);
    for (int a = 0; a < patch.box.rank; ++a) {
      numbers.push_back(patch.box.lo[a]);
      numbers.push_back(patch.box.hi[a]);
    }
  }
  return checksum(std::as_bytes(sums), checksum(std::as_bytes(std::span<const Index>(numbers)), 0));
}

}  // namespace esker::vtkhdf
