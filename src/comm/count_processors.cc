#include "comm/count_processors.h"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/run_tasks.h"

namespace esker {
namespace {

constexpr std::size_t kMostProcessors = 1024;  // of a node: the number of bits of a cpu_set_t

/// [processor]: 1 if this process may use it.
std::array<std::uint64_t, kMostProcessors> usable_processors() {
  std::array<std::uint64_t, kMostProcessors> usable{};
#ifdef __linux__
  static_assert(kMostProcessors == CPU_SETSIZE);
  ::cpu_set_t mine;
  if (::sched_getaffinity(0, sizeof(mine), &mine) == 0) {
    for (std::size_t p = 0; p < kMostProcessors; ++p) usable[p] = CPU_ISSET(p, &mine) ? 1 : 0;
    return usable;
  }
#endif
  std::fill_n(usable.begin(), std::min<std::size_t>(kMostProcessors, num_processors()), 1);
  return usable;
}

}  // namespace

Index count_processors(Comm& comm) {
  auto usable = usable_processors();
  comm.node().all_reduce_max(usable);
  const auto of_node = static_cast<double>(std::count(usable.begin(), usable.end(), 1));
  std::array<double, 1> all{comm.node().rank() == 0 ? of_node : 0.0};
  comm.all_reduce_sum(all);
  return static_cast<Index>(all[0]);
}

}  // namespace esker
