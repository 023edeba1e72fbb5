#include "grid/copy_samples.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"

namespace esker {
namespace {

constexpr Index kTile = 32;  // 32 x 32 elements of 8 bytes on both sides fit in a 32 KiB first-level cache

/// One axis of a copy: where each index stands on both sides, and the stride where that is constant.
struct CopyAxis {
  const Index* source = nullptr;
  const Index* target = nullptr;
  Index count = 0;
  Index source_stride = -1;  // -1: not a constant stride
  Index target_stride = -1;
};

Index constant_stride(const std::vector<Index>& offsets) {
  const Index stride = offsets[1] - offsets[0];
  for (std::size_t i = 2; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != stride) return -1;
  }
  return stride;
}

struct CopyLoop {
  std::array<CopyAxis, kMaxCopyAxes> axis;  // innermost first
  int num_axes = 0;
  Index run_bytes = 0;  // moved at once
};

/// Drops axes of one index and puts the axis with the smallest target step innermost.
CopyLoop make_loop(Index element_bytes, const std::byte*& source, const SampleMap& source_map,
                   std::byte*& target, const SampleMap& target_map) {
  CopyLoop loop;
  loop.run_bytes = element_bytes;
  for (int a = 0; a < source_map.num_axes(); ++a) {
    const auto& from = source_map.offsets(a);
    const auto& to = target_map.offsets(a);
    if (from.size() == 1) {
      source += from[0];
      target += to[0];
      continue;
    }
    loop.axis[loop.num_axes++] = {from.data(), to.data(), static_cast<Index>(from.size()),
                                  constant_stride(from), constant_stride(to)};
  }
  const auto step = [](const CopyAxis& axis) { return std::abs(axis.target[1] - axis.target[0]); };
  std::stable_sort(loop.axis.begin(), loop.axis.begin() + loop.num_axes,
                   [&](const CopyAxis& a, const CopyAxis& b) { return step(a) < step(b); });
  return loop;
}

/// Takes innermost axes that are dense on both sides into the run.
void merge_dense_axes(CopyLoop& loop, const std::byte*& source, std::byte*& target) {
  while (loop.num_axes > 0) {
    const CopyAxis& inner = loop.axis[0];
    if (inner.source_stride != loop.run_bytes || inner.target_stride != loop.run_bytes) return;
    source += inner.source[0];
    target += inner.target[0];
    loop.run_bytes *= inner.count;
    std::move(loop.axis.begin() + 1, loop.axis.begin() + loop.num_axes, loop.axis.begin());
    --loop.num_axes;
  }
}

/// Copies elements along the two innermost axes in tiles, so that both sides stay in cache.
template <class Move>
void copy_plane(const CopyAxis& x, const CopyAxis& y, const std::byte* source, std::byte* target, Move move) {
  for (Index y0 = 0; y0 < y.count; y0 += kTile) {
    const Index y1 = std::min(y0 + kTile, y.count);
    for (Index x0 = 0; x0 < x.count; x0 += kTile) {
      const Index x1 = std::min(x0 + kTile, x.count);
      for (Index j = y0; j < y1; ++j) {
        const std::byte* from = source + y.source[j];
        std::byte* to = target + y.target[j];
        for (Index i = x0; i < x1; ++i) move(to + x.target[i], from + x.source[i]);
      }
    }
  }
}

constexpr Index kZero = 0;
constexpr CopyAxis kUnitAxis{&kZero, &kZero, 1, 0, 0};

template <class Move>
void copy_axes(const CopyLoop& loop, int axis, const std::byte* source, std::byte* target, Move move) {
  if (axis >= 2) {
    const CopyAxis& outer = loop.axis[axis];
    for (Index i = 0; i < outer.count; ++i) {
      copy_axes(loop, axis - 1, source + outer.source[i], target + outer.target[i], move);
    }
    return;
  }
  copy_plane(loop.num_axes > 0 ? loop.axis[0] : kUnitAxis, loop.num_axes > 1 ? loop.axis[1] : kUnitAxis,
             source, target, move);
}

template <std::size_t kBytes>
struct MoveFixed {
  void operator()(std::byte* to, const std::byte* from) const { std::memcpy(to, from, kBytes); }
};

struct MoveRun {
  std::size_t bytes;
  void operator()(std::byte* to, const std::byte* from) const { std::memcpy(to, from, bytes); }
};

/// Puts the axis along which the source is densest second, where the tiles of copy_plane can use it.
void put_source_axis_second(CopyLoop& loop) {
  if (loop.num_axes < 3) return;
  const auto densest = std::min_element(
      loop.axis.begin(), loop.axis.begin() + loop.num_axes, [](const CopyAxis& a, const CopyAxis& b) {
        return std::abs(a.source[1] - a.source[0]) < std::abs(b.source[1] - b.source[0]);
      });
  if (densest > loop.axis.begin() + 1) std::rotate(loop.axis.begin() + 1, densest, densest + 1);
}

}  // namespace

void SampleMap::add_strided(Index count, Index stride_bytes) {
  auto& offsets = offsets_[num_axes_++];
  offsets.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<Index>(i) * stride_bytes;
}

SampleMap SampleMap::strided(const Box& indices, const std::array<Index, kMaxRank>& stride_bytes) {
  SampleMap map;
  for (int a = 0; a < indices.rank; ++a) map.add_strided(indices.extent(a), stride_bytes[a]);
  return map;
}

SampleMap SampleMap::strided(const SampleMap& like, const std::array<Index, kMaxRank>& stride_bytes) {
  SampleMap map;
  for (int a = 0; a < like.num_axes(); ++a) {
    map.add_strided(static_cast<Index>(like.offsets(a).size()), stride_bytes[a]);
  }
  return map;
}

// Indices are added while spread over their bits: ones in between carry from each bit to the next one.
SampleMap SampleMap::ordered(const Box& indices, const BitOrder& order, Index sample_bytes,
                             const Point& step) {
  SampleMap map;
  map.num_axes_ = indices.rank;
  for (int a = 0; a < indices.rank; ++a) {
    const std::uint64_t bits = order.bits[a];
    auto at = static_cast<std::uint64_t>(order.on_axis(a, indices.lo[a]));
    const auto advance = static_cast<std::uint64_t>(order.on_axis(a, step[a]));
    map.offsets_[a].reserve(static_cast<std::size_t>(div_up(indices.extent(a), step[a])));
    for (Index i = indices.lo[a]; i < indices.hi[a]; i += step[a]) {
      map.offsets_[a].push_back(static_cast<Index>(at) * sample_bytes);
      at = ((at | ~bits) + advance) & bits;
    }
  }
  return map;
}

SampleMap SampleMap::dense(const Box& indices, Index sample_bytes) {
  std::array<Index, kMaxRank> strides{};
  Index stride = sample_bytes;
  for (int a = 0; a < indices.rank; ++a) {
    strides[a] = stride;
    stride *= indices.extent(a);
  }
  return strided(indices, strides);
}

void copy_samples(Index element_bytes, const std::byte* source, const SampleMap& source_map,
                  std::byte* target, const SampleMap& target_map) {
  for (int a = 0; a < source_map.num_axes(); ++a) {
    if (source_map.offsets(a).empty()) return;
  }
  CopyLoop loop = make_loop(element_bytes, source, source_map, target, target_map);
  merge_dense_axes(loop, source, target);
  put_source_axis_second(loop);
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
