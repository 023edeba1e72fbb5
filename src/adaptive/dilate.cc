#include "adaptive/dilate.h"

#include <algorithm>

#include "grid/points.h"

namespace esker {
namespace {

/// The levels along a line, which may have any stride.
struct LevelLine {
  KeptLevel* first;
  Index stride, count;

  KeptLevel& operator[](Index i) const { return first[i * stride]; }
};

/// `before` and `after` hold the maxima of the line from the begin of a window-sized segment, and up to its
/// end. The maximum of a window is that of the end of one segment and the begin of the next.
void dilate_line(const LevelLine& line, Index distance, std::span<KeptLevel> before,
                 std::span<KeptLevel> after) {
  const Index window = 2 * distance + 1;
  const Index padded = line.count + 2 * distance;
  const auto at = [&](Index i) {
    const Index on_line = i - distance;
    return 0 <= on_line && on_line < line.count ? line[on_line] : kNotKept;
  };
  for (Index i = 0; i < padded; ++i) {
    const KeptLevel level = at(i);
    const auto n = static_cast<std::size_t>(i);
    before[n] = i % window == 0 ? level : std::max(before[n - 1], level);
  }
  for (Index i = padded; i-- > 0;) {
    const KeptLevel level = at(i);
    const auto n = static_cast<std::size_t>(i);
    after[n] = i == padded - 1 || (i + 1) % window == 0 ? level : std::max(after[n + 1], level);
  }
  for (Index i = 0; i < line.count; ++i) {
    line[i] = std::max(after[static_cast<std::size_t>(i)], before[static_cast<std::size_t>(i + window - 1)]);
  }
}

/// The same as `distance` on an axis of this extent.
Index distance_along(const Box& box, int axis, Index distance) {
  return std::min(distance, box.extent(axis) - 1);
}

}  // namespace

Index dilate_scratch(const Box& box, Index distance) {
  Index longest = 0;
  for (int axis = 0; axis < box.rank; ++axis) {
    longest = std::max(longest, box.extent(axis) + 2 * distance_along(box, axis, distance));
  }
  return 2 * longest;
}

void dilate(const Box& box, Index distance, std::span<KeptLevel> levels, std::span<KeptLevel> scratch) {
  if (distance == 0 || box.empty()) return;
  const auto half = scratch.size() / 2;
  Index stride = 1;
  for (int axis = 0; axis < box.rank; ++axis) {
    Box starts = Box::from_extent(box.rank, box.extents());
    starts.hi[axis] = 1;
    for_each_index_point(starts, [&](const Point& start) {
      Index offset = 0, step = 1;
      for (int a = 0; a < box.rank; ++a) {
        offset += start[a] * step;
        step *= box.extent(a);
      }
      dilate_line({levels.data() + offset, stride, box.extent(axis)}, distance_along(box, axis, distance),
                  scratch.first(half), scratch.subspan(half));
    });
    stride *= box.extent(axis);
  }
}

}  // namespace esker
