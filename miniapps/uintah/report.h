// Report: what a mode cost.
#pragma once

#include <string>

#include "mode.h"

namespace uintah {

struct Report {
  double seconds = 0;  ///< in write and close, on the slowest rank
  Index files = 0;     ///< and bytes in them, metadata included
  Index bytes = 0;
  Writes writes;
  Index covered_not_written = 0;  ///< cells of all steps
};

/// Collective. `seconds` of this rank; `covered_cells` of all steps.
Report make_report(const miniapp::World& world, Mode& mode, double seconds, Index covered_cells);
/// The titles of the columns, and a line of them.
std::string report_titles();
std::string to_line(const std::string& name, const Report& report);

}  // namespace uintah
