#include "capi/translate.h"

#include <algorithm>

#include "base/checked.h"

namespace esker::capi {

Result<SampleType> to_type(esker_type type) {
  if (type >= ESKER_INT8 && type <= ESKER_FLOAT64) return static_cast<SampleType>(type);
  return error(Code::kInvalidArgument, "type {} does not exist", type);
}

Status no_object(esker_object object) {
  return error(Code::kInvalidArgument,
               "object {}, expected ESKER_DATASET, ESKER_GRID, ESKER_FIELD, ESKER_DIM or ESKER_TIME", object);
}

Result<Box> to_box(int rank, const int64_t* lo, const int64_t* extent) {
  Box box = Box::from_extent(rank, Point{});
  for (int a = 0; a < rank; ++a) {
    if (extent[a] < 0) {
      return error(Code::kInvalidArgument, "extent {} on axis {}, expected 0 or more", extent[a], a);
    }
    const auto hi = checked_add<Index>(lo[a], extent[a]);
    if (!hi)
      return error(Code::kOutOfRange, "lo {} + extent {} on axis {} is beyond 64 bits", lo[a], extent[a], a);
    box.lo[a] = lo[a];
    box.hi[a] = *hi;
  }
  return box;
}

void give_point(int64_t* to, const Point& point, int rank) {
  if (to) std::copy_n(point.begin(), rank, to);
}

}  // namespace esker::capi
