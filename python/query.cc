#include "query.h"

#include <algorithm>
#include <string>

#include "esker/types/status.hpp"

namespace esker::python {

Box make_box(const BoxCorners& corners) {
  const auto& [lo, hi] = corners;
  if (lo.size() != hi.size() || lo.empty() || lo.size() > kMaxRank) {
    throw Error(Code::kInvalidArgument,
                "box: expected two corners with the same number of indices (1 to 5), found " +
                    std::to_string(lo.size()) + " and " + std::to_string(hi.size()));
  }
  Point lo_point{}, hi_point{};
  std::copy(lo.begin(), lo.end(), lo_point.begin());
  std::copy(hi.begin(), hi.end(), hi_point.begin());
  return {static_cast<int>(lo.size()), lo_point, hi_point};
}

Indices first(const Point& point, int rank) { return {point.begin(), point.begin() + rank}; }

BoxCorners corners(const Box& box) { return {first(box.lo, box.rank), first(box.hi, box.rank)}; }

Query make_query(const std::string& field, Index step, const std::optional<BoxCorners>& box,
                 std::optional<int> level, const std::optional<Indices>& stride) {
  Query query{field, step};
  if (box) query.box = make_box(*box);
  query.level = level;
  if (stride) {
    if (stride->empty() || stride->size() > kMaxRank ||
        (query.box && stride->size() != std::size_t(query.box->rank))) {
      throw Error(Code::kInvalidArgument,
                  "stride: expected one number per axis, found " + std::to_string(stride->size()));
    }
    query.stride = Point{1, 1, 1, 1, 1};
    std::copy(stride->begin(), stride->end(), query.stride->begin());
  }
  return query;
}

}  // namespace esker::python
