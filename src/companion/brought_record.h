// BroughtRecord: the values of one record, or of the fixed fields, that the accesses of a transfer have in
// the memory of this rank. Local, pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "companion/companion_schema.h"
#include "esker/types/patch.hpp"
#include "shared_cdf/access.h"

namespace esker {

/// A box of a variable in the caller's memory.
struct BroughtBox {
  int variable = 0;
  Patch patch;
};

/// Those of the `wanted` variables. Nothing: accesses to them have several boxes, other records, values that
/// are apart, of other types, or out of range.
std::optional<std::vector<BroughtBox>> find_brought(const cdf::Header& header,
                                                    std::span<const cdf::Access> accesses,
                                                    const ChosenVariables& wanted, Index record);

}  // namespace esker
