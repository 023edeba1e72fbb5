#include "plan/bricks.h"

#include <algorithm>

namespace esker {

std::vector<BrickDecomposition> bricks_of_layouts(const PieceSpace& space,
                                                  const std::vector<FieldPatches>& fields, int n) {
  std::vector<BrickDecomposition> bricks;
  for (int number = 0; number < space.num_layouts(); ++number) {
    const auto of_layout = std::find_if(fields.begin(), fields.end(),
                                        [&](const FieldPatches& field) { return field.layout == number; });
    const Distribution& holders = *of_layout->holders;
    bricks.push_back(bricks_like(holders.domain(), holders.typical_extent(), n));
  }
  return bricks;
}

}  // namespace esker
