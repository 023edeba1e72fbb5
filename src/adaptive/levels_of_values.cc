#include "adaptive/levels_of_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/with_type.h"
#include "esker/types/keep.hpp"
#include "grid/dense_axis.h"
#include "grid/points.h"

namespace esker {
namespace {

/// A line of samples and of their levels.
struct Line {
  const std::byte* values = nullptr;
  Index value_stride_bytes = 0;
  KeptLevel* levels = nullptr;
  Index level_stride = 0;
  Index count = 0;
};

/// Calls visit(line) for the samples of `patch` in `box`, along the patch's densest axis in memory.
template <class Visit>
void for_each_line(const Patch& patch, const Box& box, std::span<KeptLevel> levels, const Visit& visit) {
  const Box common = intersect(patch.box, box);
  if (common.empty()) return;
  const int dense = dense_axis(patch, common);
  std::array<Index, kMaxRank> level_strides{};
  Index stride = 1;
  for (int a = 0; a < box.rank; ++a) {
    level_strides[a] = stride;
    stride *= box.extent(a);
  }
  Box starts = common;
  starts.hi[dense] = starts.lo[dense] + 1;
  for_each_index_point(starts, [&](const Point& p) {
    Line line{static_cast<const std::byte*>(patch.data), patch.stride_bytes[dense], levels.data(),
              level_strides[dense], common.extent(dense)};
    for (int a = 0; a < box.rank; ++a) {
      line.values += (p[a] - patch.box.lo[a]) * patch.stride_bytes[a];
      line.levels += (p[a] - box.lo[a]) * level_strides[a];
    }
    visit(line);
  });
}

template <class T>
void raise_line(const RangeRule& rule, const Line& line) {
  for (Index i = 0; i < line.count; ++i) {
    T value;
    std::memcpy(&value, line.values + i * line.value_stride_bytes, sizeof(T));
    const auto real = static_cast<double>(value);
    KeptLevel level = real >= rule.low && real <= rule.high ? rule.level : kNotKept;
    if constexpr (std::is_floating_point_v<T>) level = real != real ? rule.nan_level : level;
    KeptLevel& kept = line.levels[i * line.level_stride];
    kept = std::max(kept, level);
  }
}

/// Contiguous values and levels: a loop that compilers vectorize. All that it uses is local, because levels
/// are characters, which could be a part of anything else.
template <class T>
void raise_dense_line(const RangeRule& rule, const Line& line) {
  const T* values = reinterpret_cast<const T*>(line.values);
  KeptLevel* levels = line.levels;
  const Index count = line.count;
  const double low = rule.low, high = rule.high;
  const KeptLevel inside = rule.level, nan = rule.nan_level;
  for (Index i = 0; i < count; ++i) {
    const auto real = static_cast<double>(values[i]);
    const KeptLevel in_range = ((real >= low) & (real <= high)) ? inside : kNotKept;
    const KeptLevel level = real != real ? nan : in_range;
    levels[i] = levels[i] > level ? levels[i] : level;
  }
}

template <class T>
void raise_patch(const RangeRule& rule, const Patch& patch, const Box& box, std::span<KeptLevel> levels) {
  for_each_line(patch, box, levels, [&](Line line) {
    for (int c = 0; c < rule.components; ++c, line.values += patch.component_stride_bytes) {
      const bool is_aligned = reinterpret_cast<std::uintptr_t>(line.values) % alignof(T) == 0;
      if (line.value_stride_bytes == Index{sizeof(T)} && line.level_stride == 1 && is_aligned) {
        raise_dense_line<T>(rule, line);
      } else {
        raise_line<T>(rule, line);
      }
    }
  });
}

}  // namespace

void raise_by_values(const RangeRule& rule, const Box& box, std::span<KeptLevel> levels) {
  for (const Patch& patch : rule.patches) {
    with_type(patch.type, [&](auto type) { raise_patch<decltype(type)>(rule, patch, box, levels); });
  }
}

void raise_by_levels(const SampleLevelsRule& rule, const Box& box, std::span<KeptLevel> levels) {
  for (const Patch& patch : rule.patches) {
    for_each_line(patch, box, levels, [&](const Line& line) {
      for (Index i = 0; i < line.count; ++i) {
        const int given = static_cast<std::int8_t>(line.values[i * line.value_stride_bytes]);
        if (given == KeepRule::kDropped) continue;
        KeptLevel& kept = line.levels[i * line.level_stride];
        kept = std::max(kept, static_cast<KeptLevel>(rule.finest + given));
      }
    });
  }
}

}  // namespace esker
