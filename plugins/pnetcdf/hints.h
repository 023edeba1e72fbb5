// Hints: MPI's list of names and values, as Esker's options and room in the file, and back.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "esker/types/options.hpp"
#include "shared_cdf/shared_file.h"

namespace esker::pnetcdf {

using Hints = std::vector<std::pair<std::string, std::string>>;

/// What `info` (which may be MPI_INFO_NULL) and the variable PNETCDF_HINTS ("name=value;name=value") say; the
/// latter has precedence.
Hints read_hints(MPI_Info info);
/// The last value of `name`; empty: none.
std::string hint_of(const Hints& hints, const std::string& name);

/// Sets options that neither a file nor the environment has set. A hint with an invalid value is ignored, as
/// hints are.
void apply_hints(const Hints& hints, Options& options);
/// What nc_header_align_size, nc_var_align_size and nc_record_align_size ask for.
cdf::FileRoom room_of(const Hints& hints);

/// The hints of the program, with the values that are in use. The caller frees it.
MPI_Info used_hints(const Hints& hints, const cdf::FileRoom& room,
                    const std::vector<std::pair<std::string, std::string>>& used_settings);

}  // namespace esker::pnetcdf
