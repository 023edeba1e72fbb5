#include "grid/copy_loop.h"

#include <algorithm>
#include <utility>

namespace esker {
namespace {

/// Drops axes of one index and puts the axis with the smallest target step innermost.
CopyLoop nest(Index element_bytes, const SampleMap& source_map, const SampleMap& target_map) {
  CopyLoop loop;
  loop.run_bytes = element_bytes;
  for (int a = 0; a < source_map.num_axes(); ++a) {
    const SampleMap::Axis& from = source_map.axis(a);
    const SampleMap::Axis& to = target_map.axis(a);
    if (from.count == 1) {
      loop.first_source += source_map.offset(a, 0);
      loop.first_target += target_map.offset(a, 0);
      continue;
    }
    loop.first_source += from.first;
    loop.first_target += to.first;
    loop.axis[loop.num_axes++] = {from.count, from.stride, to.stride, source_map.table(a),
                                  target_map.table(a)};
  }
  for (int a = 1; a < loop.num_axes; ++a) {  // std::stable_sort allocates
    for (int b = a; b > 0 && loop.axis[b].target_step() < loop.axis[b - 1].target_step(); --b) {
      std::swap(loop.axis[b], loop.axis[b - 1]);
    }
  }
  return loop;
}

void drop_axis(CopyLoop& loop, int axis) {
  std::move(loop.axis.begin() + axis + 1, loop.axis.begin() + loop.num_axes, loop.axis.begin() + axis);
  loop.axis[--loop.num_axes] = CopyAxis();
}

/// Merges innermost axes that are dense on both sides into the run.
void merge_dense_axes(CopyLoop& loop) {
  while (loop.num_axes > 0) {
    const CopyAxis& inner = loop.axis[0];
    if (!inner.is_linear() || inner.source_stride != loop.run_bytes || inner.target_stride != loop.run_bytes)
      return;
    loop.run_bytes *= inner.count;
    drop_axis(loop, 0);
  }
}

/// Merges adjacent axes that are contiguous on both sides.
void join_axes(CopyLoop& loop) {
  for (int a = 0; a + 1 < loop.num_axes;) {
    CopyAxis& inner = loop.axis[a];
    const CopyAxis& outer = loop.axis[a + 1];
    const bool joins = inner.is_linear() && outer.is_linear() &&
                       outer.source_stride == inner.count * inner.source_stride &&
                       outer.target_stride == inner.count * inner.target_stride;
    if (!joins) {
      ++a;
      continue;
    }
    inner.count *= outer.count;
    drop_axis(loop, a + 1);
  }
}

}  // namespace

CopyLoop make_copy_loop(Index element_bytes, const SampleMap& source_map, const SampleMap& target_map) {
  CopyLoop loop = nest(element_bytes, source_map, target_map);
  merge_dense_axes(loop);
  join_axes(loop);
  return loop;
}

}  // namespace esker
