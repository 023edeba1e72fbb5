// The blocks that a sparse step stores of a part.
#pragma once

#include <vector>

#include "formats/idx/block_set_file.h"
#include "formats/idx/dataset_parts.h"
#include "layout/kept_fields.h"

namespace esker::idx {

/// Whether the step holds a field of the part.
bool is_stored(const Part& part, const std::vector<bool>& present);

/// Whether the step leaves out blocks of a field of the part.
bool is_sparse(const Part& part, const std::vector<bool>& present, const KeptFields& kept);

/// What the step stores of each column; all blocks of each field if `kept` is empty.
std::vector<StoredColumn> stored_columns(const Part& part, const std::vector<bool>& present,
                                         const KeptFields& kept);

}  // namespace esker::idx
