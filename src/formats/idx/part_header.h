// The headers of new .idx files: fields, box and axes, mask and size of blocks, names of block files.
#pragma once

#include <string>
#include <vector>

#include "formats/idx/dataset_parts.h"

namespace esker::idx {

/// What the fields of a part have in common.
struct PartKind {
  int grid = 0;
  bool fixed = false;
  bool cells = false;

  [[nodiscard]] bool has(const Field& field) const {
    return field.grid == grid && field.fixed == fixed && (field.stored_bits > 0) == cells;
  }
};

/// Its fields: positions in the schema.
std::vector<int> fields_of(const Schema& schema, const PartKind& kind);

/// What the fields of its header hold. Errors: an invalid compression.
Result<std::vector<Column>> columns_of_part(const Schema& schema, const PartKind& kind, bool split);

/// Box, fields and axes. Errors: names or types that IDX cannot hold.
Result<Header> header_of_fields(const Schema& schema, const PartOptions& given, const PartKind& kind,
                                const std::vector<Column>& columns);

/// Mask and size of the blocks of raw samples in a header_of_fields(). Of two masks with evenly shared
/// digits, the one whose blocks take less space; if equal, the one with longer rows (decision 9).
Status choose_blocks(const PartOptions& given, Header& header);

/// Of a whole part.
Result<Header> make_header(const Schema& schema, const PartOptions& given, const PartKind& kind,
                           const std::vector<Column>& columns, const std::string& part_name);

/// Of a brick, in its own coordinates. `whole`: header_of_fields().
Result<Header> header_of_brick(const Header& whole, const PartOptions& given, const BrickPlace& place,
                               const Bitmask& mask, const std::string& part_name);

/// The samples of the largest of equal bricks over the mean.
double imbalance_of_bricks(const BlockGrid& blocks, int digits);

}  // namespace esker::idx
