// The option `format` of programs that write CDF files variable by variable: which dataset is next to each
// file.
#pragma once

#include <string>

#include "esker/types/options.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// "idx" for cdf5+idx, "zarr" for cdf5+zarr, "" for a CDF file alone or `auto`. Any CDF version may be named:
/// the program chooses that of its file. kInvalidArgument: other formats. Local.
Result<std::string> companion_format(const Options& options);

/// Where the dataset next to a file is, by the name that it is opened by: run.nc -> run.idx, run.zarr. The
/// files of the dataset must not have the name of the file: run -> run.levels.idx. Pure.
std::string companion_path(const std::string& file, const std::string& format);

}  // namespace esker
