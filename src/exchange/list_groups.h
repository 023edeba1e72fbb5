// List groups: the boxes of many fields as few lists. Fields that all ranks hold in the same boxes share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/macros.h"
#include "comm/agree.h"
#include "comm/comm.h"

namespace esker {

struct ListGroups {
  std::vector<int> list_of;      ///< [field]
  std::vector<int> first_field;  ///< [list]
};

/// `grid_of[f]`: a number of the grid of field f, the same for fields whose boxes may be the same, and on all
/// ranks. `boxes[f]`: of this rank. A field is compared with the one before it on the same grid. Collective;
/// errors are those of all ranks: kOutOfMemory.
template <class Boxes>
Result<ListGroups> group_lists(Comm& comm, const std::vector<int>& grid_of, const std::vector<Boxes>& boxes) {
  std::vector<int> earlier;           // [field] the one that it is compared with, or -1
  std::vector<std::uint64_t> is_new;  // [field] some rank's boxes differ from those
  ESKER_RETURN_IF_ERROR(all_do(comm, "share boxes", [&] {
    std::map<int, int> last_on_grid;
    for (std::size_t f = 0; f < grid_of.size(); ++f) {
      const auto [last, is_first] = last_on_grid.try_emplace(grid_of[f], -1);
      earlier.push_back(std::exchange(last->second, static_cast<int>(f)));
      const int before = earlier.back();
      is_new.push_back(before < 0 || !(boxes[f] == boxes[static_cast<std::size_t>(before)]) ? 1 : 0);
    }
    return Status();
  }));
  comm.all_reduce_max(is_new);
  ListGroups groups;
  ESKER_RETURN_IF_ERROR(all_do(comm, "share boxes", [&] {
    for (std::size_t f = 0; f < is_new.size(); ++f) {
      if (is_new[f] == 0) {
        groups.list_of.push_back(groups.list_of[static_cast<std::size_t>(earlier[f])]);
        continue;
      }
      groups.list_of.push_back(static_cast<int>(groups.first_field.size()));
      groups.first_field.push_back(static_cast<int>(f));
    }
    return Status();
  }));
  return groups;
}

}  // namespace esker
