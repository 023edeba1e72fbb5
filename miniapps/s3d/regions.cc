#include "regions.h"

#include <limits>

#include "esker/types/keep.hpp"

namespace s3d {

esker::Status keep_regions(const Regions& regions, esker::Writer& writer, esker::GridId grid,
                           esker::FieldId temperature) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  auto hot = esker::KeepRule::in_range(temperature, regions.hot, kNoLimit);
  hot.dilate = 2;
  const auto warm = esker::KeepRule::in_range(temperature, regions.warm, kNoLimit, -6);
  for (const auto& rule : {hot, warm, esker::KeepRule::everywhere(-9)}) {
    const esker::Status status = writer.keep(grid, rule);
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace s3d
