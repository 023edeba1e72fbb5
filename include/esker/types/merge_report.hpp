// MergeReport: what merge() did.
#pragma once

#include "esker/types/box.hpp"

namespace esker {

struct MergeReport {
  Index steps = 0;   ///< brought into the global order, of all parts together
  Index blocks = 0;  ///< replaced
  Index bytes = 0;   ///< of these blocks
};

}  // namespace esker
