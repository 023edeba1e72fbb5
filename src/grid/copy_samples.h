// copy_samples: the only kernel that copies samples from a patch to a piece, and back.
//
// On both sides sample (i,j,k ...) is at address base + X(i) + Y(j) + Z(k) ... Patches with any strides,
// row-major boxes and HZ-ordered blocks all have this form.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "esker/types/box.hpp"
#include "grid/order.h"

namespace esker {

inline constexpr int kMaxCopyAxes = kMaxRank + 1;  ///< the components may be a separate axis

/// Byte offsets along each axis of one side of a copy.
class SampleMap {
 public:
  /// Index i of an axis is at first + i * stride, unless the axis has a table.
  struct Axis {
    Index count = 0, first = 0, stride = 0;
    std::ptrdiff_t begin_of_table = -1;  ///< -1: none
  };

  /// Axis a advances by stride_bytes[a], relative to indices.lo: `source` or `target` is the sample at lo.
  static SampleMap strided(const Box& indices, const std::array<Index, kMaxRank>& stride_bytes);
  /// The same, with the same number of indices per axis as `like`.
  static SampleMap strided(const SampleMap& like, const std::array<Index, kMaxRank>& stride_bytes);
  /// The samples `indices` of a piece whose order is `order`, `sample_bytes` each; with `step`, every
  /// step[a]-th of them along each axis, from indices.lo on. The cost depends on the number of requested
  /// samples, not on the size of the piece. Nothing is allocated for axes with strides, or whose bits are
  /// adjacent.
  static SampleMap ordered(const Box& indices, const SampleOrder& order, Index sample_bytes,
                           const Point& step = {1, 1, 1, 1, 1});
  /// Dense and row-major: the form of samples in a message.
  static SampleMap dense(const Box& indices, Index sample_bytes);

  /// Adds an axis of `count` indices first, first + step ..., of which those with the same index / repeat are
  /// at the same place, stride_bytes apart. Allocates nothing if step is a multiple of repeat.
  void add_repeated(Index count, Index first, Index step, Index repeat, Index stride_bytes);
  /// Adds an axis of `count` values, `stride_bytes` apart, e.g. for components that are not adjacent.
  void add_strided(Index count, Index stride_bytes) { axes_[num_axes_++] = {count, 0, stride_bytes}; }

  [[nodiscard]] int num_axes() const { return num_axes_; }
  [[nodiscard]] const Axis& axis(int axis) const { return axes_[axis]; }
  /// The offsets of all indices of an axis; null: see Axis. Valid while the map is not changed.
  [[nodiscard]] const Index* table(int axis) const {
    const std::ptrdiff_t begin = axes_[axis].begin_of_table;
    return begin < 0 ? nullptr : tables_.data() + begin;
  }
  [[nodiscard]] Index offset(int axis, Index i) const {
    const Index* const offsets = table(axis);
    return offsets ? offsets[i] : axes_[axis].first + i * axes_[axis].stride;
  }

 private:
  /// Begins the table of an axis of `count` indices.
  void begin_table(Axis& axis, Index count);

  int num_axes_ = 0;
  std::array<Axis, kMaxCopyAxes> axes_;
  std::vector<Index> tables_;  // of all axes; one list, so that a map without tables is cheap to move
};

/// Copies `element_bytes` for every combination of indices. Both maps have the same axes and counts; source
/// and target must not overlap. Cost: one pass. Rows that are dense on both sides use memcpy, transposes use
/// tiles. Allocates nothing.
void copy_samples(Index element_bytes, const std::byte* source, const SampleMap& source_map,
                  std::byte* target, const SampleMap& target_map);

}  // namespace esker
