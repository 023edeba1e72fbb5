// Files of netCDF's data model that other programs wrote, as far as a schema can say what is in them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "format/cdf/existing.h"

namespace esker::cdf {

/// All values of a variable, or those of one record.
using ReadReals = std::function<Result<std::vector<double>>(int variable, Index step)>;

/// Numeric variables with an axis beside that of the records are fields, fixed ones where they have no
/// records; those named like their only dimension are its coordinates, or the steps' times. Variables on the
/// same dimensions share a grid. `warnings` names what a schema cannot hold. Errors are those of
/// `read_reals`.
Result<Existing> read_foreign(const Header& header, const ReadReals& read_reals,
                              std::vector<std::string>& warnings);
/// Of a CDF file. kDataLoss: coordinates or times are not all in the file.
Result<Existing> read_foreign(const File& file, const Header& header, std::vector<std::string>& warnings);

}  // namespace esker::cdf
