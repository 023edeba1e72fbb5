#include "grid/copy_samples.h"

#include <algorithm>
#include <cstring>

#include "base/cache_line.h"
#include "base/checked.h"
#include "grid/copy_loop.h"
#include "grid/transpose.h"

namespace esker {
namespace {

constexpr Index kTile = 32;  // 32 x 32 elements of 8 bytes on both sides fit in a first-level cache
constexpr int kColumns = 4;  // columns of a tile that are copied together: half a target line at a time
constexpr Index kAheadBytes = 2048;  // prefetch distance
constexpr Index kPageBytes = 4096;   // the processor prefetches longer rows by itself
constexpr Index kShortRow = 8;       // elements of a row that are copied without a loop

/// How the two innermost axes are copied.
struct Loop : CopyLoop {
  bool across = false;      // the source is denser along the second axis than along the first
  bool transposes = false;  // two innermost axes that transpose() copies
  bool is_short = false;    // short rows of a small plane, see copy_short_rows()
  Index rows_ahead = 0;     // rows that are prefetched while one is copied
};

/// Makes the axis along which the source is densest the second one, where the tiles of copy_plane can use it.
void put_source_axis_second(Loop& loop) {
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

/// Prefetches what is copied from `source`, and from a range of `axis` there.
void prefetch(const Loop& loop, const CopyAxis& axis, Index first, Index last, const std::byte* source) {
  const Index from = first * axis.source_stride, to = (last - 1) * axis.source_stride;
  const Index step = std::max(std::abs(axis.source_stride), kCacheLineBytes);
  const Index end = std::max(from, to) + loop.run_bytes;
  for (Index at = std::min(from, to); at < end; at += step) __builtin_prefetch(source + at);
  if (step == kCacheLineBytes) __builtin_prefetch(source + end - 1);
}

/// Copies the two innermost axes row by row. `next`: the source of the following plane, or null.
template <class Move>
void copy_rows(const Loop& loop, const std::byte* source, const std::byte* next, std::byte* target,
               Move move) {
  const CopyAxis& x = loop.axis[0];
  const CopyAxis& y = loop.axis[1];
  for (Index j = 0; j < y.count; ++j) {
    const Index ahead = j + loop.rows_ahead;
    if (loop.rows_ahead > 0 && ahead < y.count) {
      prefetch(loop, x, 0, x.count, source + y.source(ahead));
    } else if (loop.rows_ahead > 0 && next && ahead - y.count < y.count) {
      prefetch(loop, x, 0, x.count, next + y.source(ahead - y.count));
    }
    copy_row(x, 0, x.count, source + y.source(j), target + y.target(j), move);
  }
}

/// Copies the elements [first, last) of the second axis and `kWidth` adjacent ones on the first, at `source`
/// and `target`, along the second axis, where the source is denser.
template <int kWidth, class Move>
void copy_columns(const CopyAxis& x, const CopyAxis& y, Index first, Index last, const std::byte* source,
                  std::byte* target, Move move) {
  const Index from = x.source_stride, to = x.target_stride;
  const auto copy = [&](const std::byte* s, std::byte* t) {
    for (int i = 0; i < kWidth; ++i) move(t + i * to, s + i * from);
  };
  if (y.is_linear()) {
    const Index s_step = y.source_stride, t_step = y.target_stride;
    const std::byte* s = source + first * s_step;
    std::byte* t = target + first * t_step;
    for (Index j = first; j < last; ++j, s += s_step, t += t_step) copy(s, t);
  } else {
    for (Index j = first; j < last; ++j) copy(source + y.source(j), target + y.target(j));
  }
}

/// Copies them in tiles that stay in cache on both sides: the source is denser along the second axis.
template <class Move>
void copy_tiles(const Loop& loop, const std::byte* source, const std::byte* next, std::byte* target,
                Move move) {
  const CopyAxis& x = loop.axis[0];
  const CopyAxis& y = loop.axis[1];
  for (Index y0 = 0; y0 < y.count; y0 += kTile) {
    const Index y1 = std::min(y0 + kTile, y.count);
    for (Index x0 = 0; x0 < x.count; x0 += kTile) {
      const Index x1 = std::min(x0 + kTile, x.count);
      // While a tile is copied the next one is prefetched: for each column of this tile, one column of the
      // next.
      const bool is_last = x1 == x.count;
      const std::byte* const ahead = is_last && y1 == y.count ? next : source;
      const Index ahead_x = is_last ? 0 : x1;
      const Index ahead_y = !is_last ? y0 : y1 == y.count ? 0 : y1;
      const auto ask_ahead = [&](Index i) {
        if (loop.rows_ahead == 0 || !ahead || ahead_x + i - x0 >= x.count) return;
        prefetch(loop, y, ahead_y, std::min(ahead_y + kTile, y.count), ahead + x.source(ahead_x + i - x0));
      };
      Index i = x0;
      for (; x.is_linear() && i + kColumns <= x1; i += kColumns) {
        for (int k = 0; k < kColumns; ++k) ask_ahead(i + k);
        copy_columns<kColumns>(x, y, y0, y1, source + x.source(i), target + x.target(i), move);
      }
      for (; i < x1; ++i) {
        ask_ahead(i);
        copy_columns<1>(x, y, y0, y1, source + x.source(i), target + x.target(i), move);
      }
    }
  }
}

/// Copies the three innermost axes, without a loop along the first. Patches of meshes consist of such rows: a
/// level of 12 x 12 x 12 cells has 6 in a row.
template <int kCount, class Move>
void copy_short_rows(const Loop& loop, const std::byte* source, std::byte* target, Move move) {
  const Index from = loop.axis[0].source_stride, to = loop.axis[0].target_stride;
  const CopyAxis &y = loop.axis[1], &z = loop.axis[2];
  for (Index k = 0; k < z.count; ++k) {
    const std::byte* s = source + k * z.source_stride;
    std::byte* t = target + k * z.target_stride;
    for (Index j = 0; j < y.count; ++j, s += y.source_stride, t += y.target_stride) {
#pragma GCC unroll 8
      for (int i = 0; i < kCount; ++i) move(t + i * to, s + i * from);
    }
  }
}

template <class Move>
void copy_short(const Loop& loop, const std::byte* source, std::byte* target, Move move) {
  switch (loop.axis[0].count) {
    case 1:
      return copy_short_rows<1>(loop, source, target, move);
    case 2:
      return copy_short_rows<2>(loop, source, target, move);
    case 3:
      return copy_short_rows<3>(loop, source, target, move);
    case 4:
      return copy_short_rows<4>(loop, source, target, move);
    case 5:
      return copy_short_rows<5>(loop, source, target, move);
    case 6:
      return copy_short_rows<6>(loop, source, target, move);
    case 7:
      return copy_short_rows<7>(loop, source, target, move);
    default:
      return copy_short_rows<kShortRow>(loop, source, target, move);
  }
}

template <class Move>
void copy_axes(const Loop& loop, int axis, const std::byte* source, std::byte* target, Move move) {
  if (axis == 2 && loop.is_short) return copy_short(loop, source, target, move);
  const CopyAxis& outer = loop.axis[axis];
  for (Index i = 0; i < outer.count; ++i) {
    const std::byte* const from = source + outer.source(i);
    std::byte* const to = target + outer.target(i);
    if (axis > 2) {
      copy_axes(loop, axis - 1, from, to, move);
      continue;
    }
    const std::byte* const next = i + 1 < outer.count ? source + outer.source(i + 1) : nullptr;
    if (loop.transposes) {
      const CopyAxis &x = loop.axis[0], &y = loop.axis[1];
      transpose(loop.run_bytes, x.count, y.count, {from, x.source_stride, y.source_stride}, to,
                y.target_stride);
    } else if (loop.across) {
      copy_tiles(loop, from, next, to, move);
    } else {
      copy_rows(loop, from, next, to, move);
    }
  }
}

/// Chooses between rows and tiles, and the prefetch distance of the source.
void choose_way(Loop& loop) {
  const CopyAxis& x = loop.axis[0];
  const CopyAxis& y = loop.axis[1];
  loop.across = loop.num_axes > 1 && y.source_step() < x.source_step();
  loop.transposes = loop.across && x.is_linear() && y.is_linear() && x.target_stride == loop.run_bytes &&
                    can_transpose(loop.run_bytes);
  if (loop.transposes) return;
  for (const CopyAxis& axis : loop.axis) {
    if (axis.source_table) return;  // prefetching costs too much there
  }
  if (loop.run_bytes > kCacheLineBytes) return;  // the processor prefetches it
  const Index row_bytes =
      x.count * std::max(loop.run_bytes, std::min(std::abs(x.source_stride), kCacheLineBytes));
  loop.rows_ahead = row_bytes < kPageBytes ? div_up(kAheadBytes, row_bytes) : 0;
  const bool is_near = loop.rows_ahead >= 2 * y.count;  // nothing is prefetched
  loop.is_short = !loop.across && is_near && x.count <= kShortRow && y.is_linear() && x.is_linear() &&
                  loop.axis[2].is_linear();
}

}  // namespace

void copy_samples(Index element_bytes, const std::byte* source, const SampleMap& source_map,
                  std::byte* target, const SampleMap& target_map) {
  for (int a = 0; a < source_map.num_axes(); ++a) {
    if (source_map.axis(a).count == 0) return;
  }
  Loop loop{make_copy_loop(element_bytes, source_map, target_map)};
  source += loop.first_source;
  target += loop.first_target;
  put_source_axis_second(loop);
  choose_way(loop);
  const int outermost = std::max(2, loop.num_axes - 1);
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
