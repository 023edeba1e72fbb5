// The case that is measured: Esker itself.
#pragma once

#include <utility>
#include <vector>

#include "case.h"
#include "esker/communicator.hpp"
#include "esker/types/options.hpp"

namespace bench {

/// One set of options with which Esker writes the workload.
struct EskerStyle {
  const char* name;
  std::vector<std::pair<const char*, const char*>> options = {};  ///< differ from the defaults
  bool vectors = false;  ///< a field of several components is one field with interleaved components on disk;
                         ///< otherwise each component is a scalar field
  bool needs_chunks = false;  ///< chunks are the ranks' parts, which must have regular_extents()
  bool scatters = false;      ///< rank 0 reads and scatters; else all ranks read together
  bool is_on_request = false;
  double tolerance = 0;  ///< the largest error that may be recorded; values must be within the recorded one
  bool times_codecs = false;         ///< the report gets the times of the codecs alone
  int stored_bits = 0;               ///< of all fields
  std::vector<KeptAbove> kept = {};  ///< of each step; empty: all samples
};

/// By default: IDX in one, two and three phases, and in two with vector fields; CDF-5; both formats at once;
/// Zarr. If Esker was built with HDF5: NetCDF-4 with default chunks, one chunk per field, and one chunk per
/// rank. On request: IDX with tune=auto, CDF-5 read by one rank, IDX and CDF-5 always read in two phases,
/// compressed IDX, HDF5 and Zarr, IDX with stored bits, and IDX that keeps a part of the samples.
const std::vector<EskerStyle>& esker_styles();

/// A dataset by Esker, as a case called `name`. Collective. Throws if the style needs a flame and the
/// workload has none.
std::unique_ptr<Case> esker_case(const std::string& name, const std::string& directory,
                                 const esker::Communicator& comm, const EskerStyle& style,
                                 const esker::Options& options, const Workload& workload);

}  // namespace bench
