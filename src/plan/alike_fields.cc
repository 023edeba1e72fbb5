#include "plan/alike_fields.h"

#include <algorithm>

namespace esker {

bool have_same_pieces(const PieceSpace& space, const FieldPatches& a, const FieldPatches& b) {
  return a.layout == b.layout && a.holders == b.holders &&
         space.layout(a.layout).have_same_parts(a.field, b.field);
}

std::vector<std::vector<int>> find_alike(const PieceSpace& space, const std::vector<FieldPatches>& fields,
                                         const Relays& relays) {
  const auto is_direct = [&](int f) {
    const std::vector<VirtualGrid>& grids = relays.relay_grids(f);
    return std::none_of(grids.begin(), grids.end(),
                        [](const VirtualGrid& grid) { return grid.boxes && !grid.levels.empty(); });
  };
  const auto are_alike = [&](int f, int g) {
    return is_direct(f) && is_direct(g) &&
           have_same_pieces(space, fields[static_cast<std::size_t>(f)], fields[static_cast<std::size_t>(g)]);
  };
  std::vector<std::vector<int>> lists;
  for (int f = 0; f < static_cast<int>(fields.size()); ++f) {
    const auto list = std::find_if(lists.begin(), lists.end(),
                                   [&](const std::vector<int>& l) { return are_alike(l.front(), f); });
    if (list != lists.end()) {
      list->push_back(f);
    } else {
      lists.push_back({f});
    }
  }
  return lists;
}

}  // namespace esker
