// The case that is measured: Esker itself.
#pragma once

#include "case.h"
#include "esker/communicator.hpp"
#include "esker/options.hpp"

namespace bench {

/// An IDX dataset by Esker. Read by each rank for itself. `aggregate`: two phases, else one (without
/// checksums).
std::unique_ptr<Case> idx_case(const std::string& directory, const esker::Communicator& comm, bool aggregate,
                               const esker::Options& options);

}  // namespace bench
