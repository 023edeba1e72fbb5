// Patch: samples of one field in the caller's memory, to be written. MutablePatch: memory to read samples
// into.
#pragma once

#include <array>
#include <initializer_list>
#include <type_traits>

#include "esker/types/box.hpp"
#include "esker/types/sample_type.hpp"

namespace esker {

/// A box of one field's samples in the caller's memory. To skip ghost cells, point `data` past them and set
/// the strides accordingly. Any axis order can be expressed by strides.
template <class Data>
struct BasicPatch {
  Box box;                                     ///< where in the grid, half open, x first
  Data* data = nullptr;                        ///< component 0 of the sample at box.lo
  SampleType type = SampleType::kFloat32;      ///< must be the field's type
  std::array<Index, kMaxRank> stride_bytes{};  ///< from one sample to the next along each axis
  Index component_stride_bytes = 0;            ///< from one component to the next; 0: dense
  /// For writing only: allows strides of 0, where one sample is used for all indices of an axis. Without it,
  /// a stride of 0 is an error, like any strides that map two samples to the same memory.
  bool repeats = false;
  /// For writing only: samples of a coarser grid. Along each axis the same sample is used for all indices i
  /// of `box` with the same i / repeat; powers of two. `data` is the sample of box.lo.
  Point repeat{1, 1, 1, 1, 1};
  /// The caller's claim that the memory is that of a GPU: memory that no GPU can access is then an error.
  /// Without it, Esker finds out.
  bool is_on_device = false;

  [[nodiscard]] bool is_coarser() const { return repeat != Point{1, 1, 1, 1, 1}; }
  /// Samples in memory along an axis.
  [[nodiscard]] Index count_in_memory(int axis) const {
    if (box.hi[axis] <= box.lo[axis]) return 0;
    return (box.hi[axis] - 1) / repeat[axis] - box.lo[axis] / repeat[axis] + 1;
  }

  /// Samples stored x fastest without gaps, with `components` interleaved values per sample (as in the
  /// field).
  template <class T>
  static BasicPatch dense(const Box& box, T* data, int components = 1) {
    BasicPatch patch{box, data, sample_type_of<std::remove_const_t<T>>(), {}, Index{sizeof(T)}, false};
    Index stride = Index{sizeof(T)} * components;
    for (int a = 0; a < box.rank; ++a) {
      patch.stride_bytes[a] = stride;
      stride *= box.extent(a);
    }
    return patch;
  }

  /// Strides in elements of T, one per axis of `box`, x first; components are adjacent. If the number of
  /// strides differs from the box's rank, put() returns an error.
  template <class T>
  static BasicPatch strided(const Box& box, T* data, std::initializer_list<Index> strides) {
    BasicPatch patch{box, data, sample_type_of<std::remove_const_t<T>>(), {}, Index{sizeof(T)}, false};
    if (static_cast<int>(strides.size()) != box.rank) return patch;  // strides of 0
    int a = 0;
    for (const Index stride : strides) patch.stride_bytes[a++] = stride * Index{sizeof(T)};
    return patch;
  }

  /// A read-only view of the same memory.
  operator BasicPatch<const void>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<Data>) {
    return {box, data, type, stride_bytes, component_stride_bytes, repeats, repeat, is_on_device};
  }
};

/// Samples to write.
using Patch = BasicPatch<const void>;
/// Memory to read samples into.
using MutablePatch = BasicPatch<void>;

}  // namespace esker
