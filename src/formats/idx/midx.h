// Midx: files for OpenVisus (IdxMultipleDataset) that show the .idx files of a grid's partitions as one
// dataset.
//
// Esker does not read them: for Esker the catalog is authoritative. Each names its .idx files relative to
// itself, with the place of each in samples of the grid, so that the directory can be copied and renamed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "formats/idx/dataset_parts.h"

namespace esker::idx {

/// Path and text of each: one for the time-dependent fields of a grid, and one for its fixed fields. None
/// unless partitions are stored separately. Local, pure.
std::vector<std::pair<std::string, std::string>> unions_of_parts(const std::vector<Part>& parts);

}  // namespace esker::idx
