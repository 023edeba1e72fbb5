// The case that is measured: Esker itself.
#pragma once

#include <utility>
#include <vector>

#include "case.h"
#include "esker/communicator.hpp"
#include "esker/types/options.hpp"

namespace bench {

/// A way in which Esker writes the workload.
struct EskerStyle {
  const char* name;
  std::vector<std::pair<const char*, const char*>> options;  ///< what makes it this way
  bool vectors = false;  ///< a field of several components is one field, its components side by side on disk;
                         ///< else it is as many scalar ones
  bool needs_chunks = false;  ///< of the ranks' parts: only where these have regular_extents()
  bool scatters = false;      ///< rank 0 reads and scatters; else all ranks read together
  bool is_on_request = false;
};

/// IDX in one, two and three phases, and in two with vector fields; CDF-5, and both formats at once; NetCDF-4
/// with chunks by grid and type, one per field, and one per rank, if Esker has these files; on request CDF-5
/// that is read by one rank, and IDX and CDF-5 that are read in two phases whatever that costs.
const std::vector<EskerStyle>& esker_styles();

/// A dataset by Esker. Collective.
std::unique_ptr<Case> esker_case(const std::string& directory, const esker::Communicator& comm,
                                 const EskerStyle& style, const esker::Options& options,
                                 const Workload& workload);

}  // namespace bench
