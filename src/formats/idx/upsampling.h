// Upsampling: values for samples whose blocks are not stored, from samples of coarser levels.
//
// The answer at a level consists of the answer at the level below, the stored blocks of the level, and the
// missing samples of the level. These lie half way between samples of the answer below, on the axis that the
// level refines. So a value spreads over any number of levels. The answer below is taken from a box
// that is larger by what the missing samples need. The result is therefore that part of the answer for the
// whole grid, whatever the box of the query. Queries are answered tile by tile, in bounded memory.
#pragma once

#include <vector>

#include "formats/idx/block_query.h"
#include "formats/idx/header.h"

namespace esker::idx {

class Upsampling {
 public:
  /// `method`: kNearest or kLinear. All references must outlive this object.
  Upsampling(const BlockQuery::Column& column, const FieldEntry& field, MissingBlocks method,
             const ReadContext& context)
      : column_(column), field_(field), method_(method), context_(context) {}

  /// Reads all samples of a target. Errors: those of BlockQuery.
  Status read(const ReadTarget& target);

 private:
  /// The samples of levels up to some level in a box, dense.
  struct Answer {
    Lattice samples;
    std::vector<std::byte> bytes;
    std::vector<std::uint8_t> is_known;  ///< 1: a stored sample, or derived from such
  };

  Result<bool> any_missing(const Box& box, int last_level);
  Result<std::vector<Index>> missing_blocks(const Box& box, int level);
  Result<Answer> answer(const Box& box, int level);
  Status read_levels(const Box& box, int first_level, int level, Answer& into);
  [[nodiscard]] Box box_below(const Box& box, int level) const;
  void copy_lower(const ReadTarget& gap, int axis, Index half, const Answer& below, Answer& here) const;
  void derive(const Lattice& missing, int level, const Answer& below, Answer& here) const;
  Status clear_mask(const ReadTarget& target);

  const BlockQuery::Column& column_;
  const FieldEntry& field_;
  MissingBlocks method_;
  const ReadContext& context_;
};

}  // namespace esker::idx
