#include "comm/count_processors.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/system.h"

namespace esker {

Index count_processors(Comm& comm) {
  std::array<std::uint64_t, kMaxProcessors> usable;
  mark_usable_processors(usable);
  comm.node().all_reduce_max(usable);
  const auto of_node = static_cast<double>(std::count(usable.begin(), usable.end(), 1));
  std::array<double, 1> all{comm.node().rank() == 0 ? of_node : 0.0};
  comm.all_reduce_sum(all);
  return static_cast<Index>(all[0]);
}

}  // namespace esker
