// Small collective helpers of the write pipeline.
#pragma once

#include <string>

#include "comm/comm.h"
#include "esker/options.hpp"
#include "esker/schema.hpp"
#include "esker/status.hpp"

namespace esker {

/// Rank 0's options on all ranks. Collective.
Result<Options> share_options(Comm& comm, const Options& options);

/// Dimensions, grids and fields in one line, for comparing and telling apart the ranks' definitions.
std::string describe_schema(const Schema& schema);

}  // namespace esker
