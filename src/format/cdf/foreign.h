// CDF files that other programs wrote, as far as a schema can say what is in them.
#pragma once

#include <string>
#include <vector>

#include "format/cdf/existing.h"

namespace esker::cdf {

/// Numeric variables with an axis beside that of the records are fields, fixed ones where they have no
/// records; those named like their only dimension are its coordinates, or the steps' times. Variables on the
/// same dimensions share a grid. `warnings` names what a schema cannot hold. kDataLoss: coordinates or times
/// are not all in the file.
Result<Existing> read_foreign(const File& file, const Header& header, std::vector<std::string>& warnings);

}  // namespace esker::cdf
