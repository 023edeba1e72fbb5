// The case that is measured: Esker itself.
#pragma once

#include <utility>
#include <vector>

#include "case.h"
#include "esker/communicator.hpp"
#include "esker/options.hpp"

namespace bench {

/// A way in which Esker writes the workload.
struct IdxStyle {
  const char* name;
  std::vector<std::pair<const char*, const char*>> options;  ///< what makes it this way
  bool vectors = false;  ///< a field of several components is one field, its components side by side on disk;
                         ///< else it is as many scalar ones
};

/// One, two and three phases, and two with vector fields.
const std::vector<IdxStyle>& idx_styles();

/// An IDX dataset by Esker. Read by each rank for itself.
std::unique_ptr<Case> idx_case(const std::string& directory, const esker::Communicator& comm,
                               const IdxStyle& style, const esker::Options& options);

}  // namespace bench
