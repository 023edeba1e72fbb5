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
  if (comm.node().size() == comm.size()) return static_cast<Index>(of_node);
  std::array<double, 1> all{comm.node().rank() == 0 ? of_node : 0.0};
  comm.all_reduce_sum(all);
  return static_cast<Index>(all[0]);
}

// With 16 ranks on two processors, 2 and 4 writers were equally fast; 16 took 1.4 times as long.
int most_writers_of_a_file(Comm& comm) {
  constexpr Index kWritersPerProcessor = 2;
  const Index writers = kWritersPerProcessor * count_processors(comm);
  return writers < comm.size() ? static_cast<int>(writers) : 0;
}

}  // namespace esker
