// ReadReport: what one collective read cost.
#pragma once

#include <string>

#include "esker/types/box.hpp"
#include "esker/types/export.h"

namespace esker {

/// What one read cost; the same on all ranks.
struct ESKER_API ReadReport {
  Index data_bytes = 0;          ///< requested, sum over the ranks
  Index loaded_bytes = 0;        ///< sample data read from files, without metadata
  double seconds = 0;            ///< on the slowest rank
  bool aggregated = false;       ///< read by aggregators and delivered (two phases); else by each rank
  int readers = 0;               ///< ranks that read from files
  Index most_loaded_bytes = 0;   ///< loaded_bytes of the reader with the most
  Index least_loaded_bytes = 0;  ///< and of the reader with the least
  Index buffer_bytes = 0;        ///< buffer memory, maximum over the ranks
  bool planned = false;          ///< a new plan was made because some request changed
  /// "173.2 MB in 0.31 s, 0.56 GB/s, by 4 readers (43.1 to 43.5 MB each)"
  [[nodiscard]] std::string to_string() const;
};

}  // namespace esker
