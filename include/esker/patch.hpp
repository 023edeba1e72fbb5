// Patch: samples of one field in the caller's memory, on their way to a dataset or, MutablePatch, from one.
#pragma once

#include <array>
#include <initializer_list>
#include <type_traits>

#include "esker/box.hpp"
#include "esker/sample_type.hpp"

namespace esker {

/// Samples of one field that this rank holds, or wants, in the caller's memory. Ghost cells are left out by
/// pointing `data` behind them and by the strides; any axis order is a choice of strides.
template <class Data>
struct BasicPatch {
  Box box;                                     ///< where in the grid, half open, x first
  Data* data = nullptr;                        ///< component 0 of the sample at box.lo
  SampleType type = SampleType::kFloat32;      ///< must be the field's type
  std::array<Index, kMaxRank> stride_bytes{};  ///< from one sample to the next along each axis
  Index component_stride_bytes = 0;            ///< from one component to the next; 0: dense
  /// Only to write: a stride of 0 is meant, one sample stands for all indices of its axis. Where it is not, such
  /// a stride is an error, as are all that send two samples to the same memory.
  bool repeats = false;

  /// Samples stored x fastest without gaps; `components` per sample, interleaved: the field's number of them.
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

  /// Strides in elements of T, one per axis of `box`, x first; components are adjacent. Another number of them
  /// is an error when the patch is put.
  template <class T>
  static BasicPatch strided(const Box& box, T* data, std::initializer_list<Index> strides) {
    BasicPatch patch{box, data, sample_type_of<std::remove_const_t<T>>(), {}, Index{sizeof(T)}, false};
    if (static_cast<int>(strides.size()) != box.rank) return patch;  // strides of 0
    int a = 0;
    for (const Index stride : strides) patch.stride_bytes[a++] = stride * Index{sizeof(T)};
    return patch;
  }

  /// The same memory, to be read only.
  operator BasicPatch<const void>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<Data>) {
    return {box, data, type, stride_bytes, component_stride_bytes, repeats};
  }
};

/// What a rank puts.
using Patch = BasicPatch<const void>;
/// Where a rank wants samples.
using MutablePatch = BasicPatch<void>;

}  // namespace esker
