#include "grid/copy_samples.h"

#include <algorithm>
#include <cstring>

namespace esker {
namespace {

constexpr Index kTile = 32;  // 32 x 32 elements of 8 bytes on both sides fit in a first-level cache
constexpr Index kLineBytes = 64;
constexpr Index kAheadBytes = 1024;  // what is asked for ahead of its copying

/// One axis of a copy: where each index stands on both sides.
struct CopyAxis {
  Index count = 1;
  Index source_stride = 0, target_stride = 0;
  const Index* source_table = nullptr;  ///< instead of a stride
  const Index* target_table = nullptr;

  [[nodiscard]] bool is_linear() const { return !source_table && !target_table; }
  [[nodiscard]] Index source(Index i) const { return source_table ? source_table[i] : i * source_stride; }
  [[nodiscard]] Index target(Index i) const { return target_table ? target_table[i] : i * target_stride; }
  [[nodiscard]] Index source_step() const { return std::abs(source(1) - source(0)); }
  [[nodiscard]] Index target_step() const { return std::abs(target(1) - target(0)); }
};

struct CopyLoop {
  std::array<CopyAxis, kMaxCopyAxes> axis;  // innermost first; beyond num_axes, of one index
  int num_axes = 0;
  Index run_bytes = 0;  // moved at once
  bool across = false;  // the source is denser along the second axis than along the first
  int ahead = -1;       // axis whose next index is asked for while one is copied
};

/// Drops axes of one index and puts the axis with the smallest target step innermost.
CopyLoop make_loop(Index element_bytes, const std::byte*& source, const SampleMap& source_map,
                   std::byte*& target, const SampleMap& target_map) {
  CopyLoop loop;
  loop.run_bytes = element_bytes;
  for (int a = 0; a < source_map.num_axes(); ++a) {
    const SampleMap::Axis& from = source_map.axis(a);
    const SampleMap::Axis& to = target_map.axis(a);
    if (from.count == 1) {
      source += from.offset(0);
      target += to.offset(0);
      continue;
    }
    source += from.first;
    target += to.first;
    loop.axis[loop.num_axes++] = {from.count, from.stride, to.stride,
                                  from.table.empty() ? nullptr : from.table.data(),
                                  to.table.empty() ? nullptr : to.table.data()};
  }
  std::stable_sort(loop.axis.begin(), loop.axis.begin() + loop.num_axes,
                   [](const CopyAxis& a, const CopyAxis& b) { return a.target_step() < b.target_step(); });
  return loop;
}

void drop_axis(CopyLoop& loop, int axis) {
  std::move(loop.axis.begin() + axis + 1, loop.axis.begin() + loop.num_axes, loop.axis.begin() + axis);
  loop.axis[--loop.num_axes] = CopyAxis();
}

/// Takes innermost axes that are dense on both sides into the run.
void merge_dense_axes(CopyLoop& loop) {
  while (loop.num_axes > 0) {
    const CopyAxis& inner = loop.axis[0];
    if (!inner.is_linear() || inner.source_stride != loop.run_bytes || inner.target_stride != loop.run_bytes)
      return;
    loop.run_bytes *= inner.count;
    drop_axis(loop, 0);
  }
}

/// Makes one axis of neighbours that go on where the other ends, on both sides.
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

/// Puts the axis along which the source is densest second, where the tiles of copy_plane can use it.
void put_source_axis_second(CopyLoop& loop) {
  if (loop.num_axes < 3) return;
  const auto densest = std::min_element(
      loop.axis.begin(), loop.axis.begin() + loop.num_axes,
      [](const CopyAxis& a, const CopyAxis& b) { return a.source_step() < b.source_step(); });
  if (densest > loop.axis.begin() + 1) std::rotate(loop.axis.begin() + 1, densest, densest + 1);
}

template <std::size_t kBytes>
struct MoveFixed {
  void operator()(std::byte* to, const std::byte* from) const { std::memcpy(to, from, kBytes); }
};

struct MoveRun {
  std::size_t bytes;
  void operator()(std::byte* to, const std::byte* from) const { std::memcpy(to, from, bytes); }
};

template <class Move>
void copy_row(const CopyAxis& x, Index first, Index last, const std::byte* source, std::byte* target,
              Move move) {
  if (x.is_linear()) {
    const Index from = x.source_stride, to = x.target_stride;
    for (Index i = first; i < last; ++i) move(target + i * to, source + i * from);
  } else {
    for (Index i = first; i < last; ++i) move(target + x.target(i), source + x.source(i));
  }
}

/// Asks for the source of everything that stands below `axis`.
void prefetch(const CopyLoop& loop, int axis, const std::byte* source) {
  if (axis < 0) {
    for (Index at = 0; at < loop.run_bytes; at += kLineBytes) __builtin_prefetch(source + at);
    return;
  }
  const CopyAxis& along = loop.axis[axis];
  const bool is_dense = along.count > 1 && axis <= 1 && along.source_step() < kLineBytes;
  if (!is_dense) {
    for (Index i = 0; i < along.count; ++i) prefetch(loop, axis - 1, source + along.source(i));
    return;
  }
  // Several elements to a line: by lines.
  const Index last = along.source(along.count - 1);
  const CopyAxis& other = loop.axis[1 - axis];
  for (Index i = 0; i < (axis == 1 ? other.count : 1); ++i) {
    const std::byte* row = source + (axis == 1 ? other.source(i) : 0);
    for (Index at = std::min<Index>(0, last); at < std::max<Index>(0, last) + loop.run_bytes;
         at += kLineBytes) {
      __builtin_prefetch(row + at);
    }
  }
}

/// Copies elements along the two innermost axes: in rows, or, where the source is denser along y, in tiles,
/// so that both sides stay in cache.
template <class Move>
void copy_plane(const CopyLoop& loop, const std::byte* source, std::byte* target, Move move) {
  const CopyAxis& x = loop.axis[0];
  const CopyAxis& y = loop.axis[1];
  if (!loop.across) {
    for (Index j = 0; j < y.count; ++j) {
      if (loop.ahead == 1 && j + 1 < y.count) prefetch(loop, 0, source + y.source(j + 1));
      copy_row(x, 0, x.count, source + y.source(j), target + y.target(j), move);
    }
    return;
  }
  for (Index y0 = 0; y0 < y.count; y0 += kTile) {
    const Index y1 = std::min(y0 + kTile, y.count);
    for (Index x0 = 0; x0 < x.count; x0 += kTile) {
      const Index x1 = std::min(x0 + kTile, x.count);
      for (Index j = y0; j < y1; ++j) {
        copy_row(x, x0, x1, source + y.source(j), target + y.target(j), move);
      }
    }
  }
}

template <class Move>
void copy_axes(const CopyLoop& loop, int axis, const std::byte* source, std::byte* target, Move move) {
  if (axis < 2) return copy_plane(loop, source, target, move);
  const CopyAxis& outer = loop.axis[axis];
  for (Index i = 0; i < outer.count; ++i) {
    if (loop.ahead == axis && i + 1 < outer.count) {
      prefetch(loop, axis - 1, source + outer.source(i + 1));
    }
    copy_axes(loop, axis - 1, source + outer.source(i), target + outer.target(i), move);
  }
}

/// Chooses the way of copy_plane(), and the axis whose next index is worth asking for ahead.
void choose_way(CopyLoop& loop) {
  const CopyAxis& x = loop.axis[0];
  const CopyAxis& y = loop.axis[1];
  loop.across = loop.num_axes > 1 && y.source_step() < x.source_step();
  Index bytes = loop.run_bytes;
  for (int a = 0; a + 1 < loop.num_axes; ++a) {
    bytes *= loop.axis[a].count;
    if (bytes < kAheadBytes || (loop.across && a == 0)) continue;
    loop.ahead = a + 1;
    return;
  }
}

}  // namespace

void copy_samples(Index element_bytes, const std::byte* source, const SampleMap& source_map,
                  std::byte* target, const SampleMap& target_map) {
  for (int a = 0; a < source_map.num_axes(); ++a) {
    if (source_map.axis(a).count == 0) return;
  }
  CopyLoop loop = make_loop(element_bytes, source, source_map, target, target_map);
  merge_dense_axes(loop);
  join_axes(loop);
  put_source_axis_second(loop);
  choose_way(loop);
  const int outermost = loop.num_axes - 1;
  switch (loop.run_bytes) {
    case 1:
      return copy_axes(loop, outermost, source, target, MoveFixed<1>{});
    case 2:
      return copy_axes(loop, outermost, source, target, MoveFixed<2>{});
    case 4:
      return copy_axes(loop, outermost, source, target, MoveFixed<4>{});
    case 8:
      return copy_axes(loop, outermost, source, target, MoveFixed<8>{});
    case 16:
      return copy_axes(loop, outermost, source, target, MoveFixed<16>{});
    default:
      return copy_axes(loop, outermost, source, target, MoveRun{static_cast<std::size_t>(loop.run_bytes)});
  }
}

}  // namespace esker
