#include "read/parallel/load_piece.h"

#include <cstring>

#include "base/macros.h"
#include "layout/places.h"

namespace esker {
namespace {

/// Moves contiguous rows to their positions among the longer, or more, rows of a larger box with the same
/// lower corner: the last one first, so that none is overwritten.
void spread_rows(const Point& dense, const Point& full, int rank, Index sample_bytes, std::byte* bytes) {
  const auto row_bytes = static_cast<std::size_t>(dense[0] * sample_bytes);
  Point rows = dense;
  rows[0] = 1;
  Index number = 1;
  for (int a = 1; a < rank; ++a) number *= dense[a];
  while (number-- > 1) {
    const Index target = number_in(full, rank, place_in(rows, rank, number)) * sample_bytes;
    std::memmove(bytes + target, bytes + number * static_cast<Index>(row_bytes), row_bytes);
  }
}

}  // namespace

Status load_piece(const OpenedDataset& data, const ReadColumn& column, const Lattice& samples,
                  const Box& domain, const Box& indices, std::span<std::byte> bytes, bool verify) {
  const Box inside = intersect(indices, domain);
  if (inside.empty()) return {};
  const auto field = static_cast<int>(column.field);
  const Index sample_bytes = data.field_at(field).sample_bytes();
  const auto target =
      ReadTarget::dense(samples.sub(inside), static_cast<int>(column.level), bytes.data(), sample_bytes);
  ESKER_RETURN_IF_ERROR(data.read(field, column.step, target, column.context(verify)));
  const Point dense = inside.extents(), full = indices.extents();
  if (dense != full) {
    spread_rows(dense, full, inside.rank, sample_bytes, bytes.data());
  }
  return {};
}

}  // namespace esker
