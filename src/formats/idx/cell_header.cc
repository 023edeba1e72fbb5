#include "formats/idx/cell_header.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "codec/cells.h"
#include "grid/cells.h"

namespace esker::idx {
namespace {

Status check_field(const FieldEntry& field, int rank) {
  if (field.stored_bits == 0) {
    return error(Code::kUnsupported, "(version) 7 without stored_bits is an unknown extension");
  }
  if (field.components != 1) {
    return error(Code::kDataLoss, "stored_bits: expected 1 component, found {}", field.components);
  }
  const Status valid = check_cell_form({field.type, rank, field.stored_bits});
  return valid.ok() ? valid : error(Code::kDataLoss, "{}", valid.message());
}

}  // namespace

Result<Bitmask> mask_of_samples(const Bitmask& cells, int rank) {
  if (cells.rank() > rank) {
    return error(Code::kDataLoss, "(bits): expected {} axes for cells, found more: '{}'", rank,
                 cells.to_string());
  }
  std::string text = cells.to_string();
  for (int level = 0; level < cell_levels(rank); ++level) text += static_cast<char>('0' + level % rank);
  Result<Bitmask> mask = Bitmask::parse(text);
  if (!mask.ok()) return error(Code::kDataLoss, "(bits) of cells: {}", excerpt(mask.status().message()));
  return mask;
}

BlockGrid block_grid(const Header& header) {
  const Box box = header.cells ? cells_meeting(header.box, header.cells->mask.rank()) : header.box;
  return {header.block_mask(), header.bits_per_block, box, header.brick_digits};
}

Status resolve_cells(Header& header) {
  if (header.bitmask.max_level() == 0) return {};  // (bits) is missing
  const auto has_bits = [](const FieldEntry& field) { return field.stored_bits > 0; };
  if (header.brick_digits > 0 && std::ranges::none_of(header.fields, has_bits)) return {};
  if (header.arco > 0) return error(Code::kUnsupported, "(arco) with (version) 7 is not supported");
  const int rank = header.bitmask.rank();
  for (const FieldEntry& field : header.fields) {
    ESKER_RETURN_IF_ERROR(check_field(field, rank).with_context("field '" + excerpt(field.name) + "'"));
  }
  header.cells = CellBlocks{header.bitmask, false, 0};
  ESKER_ASSIGN_OR_RETURN(header.bitmask, mask_of_samples(header.cells->mask, rank));
  return {};
}

}  // namespace esker::idx
