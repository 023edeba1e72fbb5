#include "formats/netcdf/cdf/cdf_step_layouts.h"

#include <algorithm>

#include "base/byte_order.h"
#include "layout/chunked.h"
#include "layout/row_major.h"

namespace esker::cdf {
namespace {

// A piece is hashed, swapped and stored in a core's cache; a multiple of pages and of common stripes' parts.
constexpr Index kPieceBytes = Index{256} << 10;

}  // namespace

CdfStepLayouts::CdfStepLayouts(const StoredSchema& file, const Schema& schema,
                               const std::vector<bool>& present, const StepHints& hints, std::string path)
    : file_(file), hints_(hints), path_(std::move(path)) {
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    if (!present[f]) continue;
    const Field& field = schema.fields()[f];
    const Box box = schema.box_of(schema.grid_of(field));
    const int variable = file.variable_of_field[f];
    columns.push_back({static_cast<int>(f), 0, static_cast<int>(layouts.size()), 0});
    layouts.push_back(make_layout(box, field.sample_bytes(), variable, hints.dense_axis(f)));
    variable_of_layout_.push_back(variable);
  }
}

std::unique_ptr<Layout> CdfStepLayouts::make_layout(const Box& box, Index sample_bytes, int variable,
                                                    int dense_axis) const {
  const Index offset = offset_of(file_.header, variable, 0), piece_bytes = within_a_call(kPieceBytes);
  const auto make_tiles = [&](int axis, bool in_slabs) {
    const ChunkedLayout::Tiles tiles{within_a_call(kTileBytes), axis, in_slabs};
    return std::make_unique<ChunkedLayout>(box.rank, box.hi, sample_bytes, ChunkedLayout::Shape{box.hi},
                                           offset, tiles);
  };
  if (hints_.pattern == WritePattern::kStripes && hints_.stripe_size_bytes >= 2 * sample_bytes) {
    const RowMajorLayout::Stripes stripes{hints_.stripe_size_bytes,
                                          offset_of(file_.header, variable, hints_.step)};
    return std::make_unique<RowMajorLayout>(box.rank, box.hi, sample_bytes, offset, piece_bytes, stripes);
  }
  if (hints_.pattern == WritePattern::kSlabs && box.rank > 1) {
    return make_tiles(0, true);
  }
  if (dense_axis > 0) return make_tiles(dense_axis, false);
  return make_tiles(0, false);
}

bool CdfStepLayouts::fits(Index step) const {
  if (hints_.pattern != WritePattern::kStripes) return true;
  const Index round_bytes = hints_.stripe_size_bytes * hints_.stripe_writers;
  return std::all_of(variable_of_layout_.begin(), variable_of_layout_.end(), [&](int variable) {
    const Index hinted = offset_of(file_.header, variable, hints_.step);
    return (offset_of(file_.header, variable, step) - hinted) % round_bytes == 0;
  });
}

Index CdfStepLayouts::step_offset_bytes(int layout, Index step) const {
  const int variable = variable_of_layout_[static_cast<std::size_t>(layout)];
  return offset_of(file_.header, variable, step) - offset_of(file_.header, variable, 0);
}

void CdfStepLayouts::encode(int layout, const Piece& /*piece*/, std::span<std::byte> bytes) const {
  const int variable = variable_of_layout_[static_cast<std::size_t>(layout)];
  const Type type = file_.header.variables[static_cast<std::size_t>(variable)].type;
  swap_bytes(bytes, static_cast<int>(size_bytes(type)));
}

}  // namespace esker::cdf
