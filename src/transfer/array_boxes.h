// ArrayBoxes: boxes of an array in a file and in memory, and their runs: samples that are contiguous in the
// file. Indices may be apart in the file, as those of records and of lattices are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/checked.h"
#include "esker/types/box.hpp"
#include "esker/types/sample_type.hpp"

namespace esker {

/// Bytes [begin, end) of a file.
struct FileRange {
  Index begin = 0, end = 0;
  [[nodiscard]] bool meets(const FileRange& other) const { return begin < other.end && other.begin < end; }
  [[nodiscard]] Index size() const { return end - begin; }
};

/// The end of the array of a file that contains a byte, which is in one: another array may begin there.
/// Local, pure.
using EndOfArray = std::function<Index(Index)>;

/// Lists have an entry per dimension, slowest first. Samples of one access do not overlap in the file.
struct ArrayBoxes {
  SampleType type = SampleType::kFloat32;  ///< in the file, where numbers are big-endian
  SampleType memory_type = SampleType::kFloat32;
  std::vector<std::byte> fill;             ///< one sample, native: for values that `type` cannot hold
  Index offset_bytes = 0;                  ///< in the file, of the sample whose indices are 0
  std::vector<Index> stride_bytes;         ///< in the file, between samples whose indices differ by 1
  std::span<const Index> start, count;     ///< one box after the other
  std::span<const Index> step;             ///< of all boxes; empty: 1
  std::vector<Index> memory_stride_bytes;  ///< if there is one box; empty: dense, one box after the other
  const std::byte* values = nullptr;       ///< of the first box
};

/// Samples that are contiguous in a file, and equally spaced in memory.
struct FileRun {
  Index begin = 0;  ///< in the file
  Index count = 0;
  const std::byte* values = nullptr;
  Index stride_bytes = 0;
};

/// Finds the runs of boxes. The boxes must outlive it.
class BoxWalk {
 public:
  explicit BoxWalk(const ArrayBoxes& boxes);

  /// The bytes of all boxes, or, as far as they follow byte `from`, an estimate that contains them; {max, 0}
  /// if there are none.
  [[nodiscard]] FileRange bounds(Index from = 0);
  /// Calls visit(run) for the samples that begin in a range, in the order of the boxes.
  template <class Visit>
  void for_each_run(const FileRange& range, const Visit& visit) {
    for_each_box([&](Index at, const std::byte* values) {
      if (range.meets({at, at + span_bytes_}))
        walk(axes_.size(), {at, at + span_bytes_}, values, range, visit);
    });
  }

 private:
  /// An axis along which runs are apart.
  struct Axis {
    Index count, stride_bytes, memory_stride_bytes;
    Index inner_bytes;  ///< the part of the file that one index spans
  };
  /// Sets the members below to box `number`, unless it is empty. Returns its number of samples.
  Index use_box(std::size_t number, Index& at);
  void add_axis(Index count, Index stride_bytes, Index memory_stride_bytes);

  template <class Visit>
  void for_each_box(const Visit& visit) {
    const std::byte* values = boxes_.values;
    for (std::size_t b = 0; b < n_boxes_; ++b) {
      Index at = 0;
      const Index n = use_box(b, at);
      if (n > 0) visit(at, values);
      values += n * memory_bytes_;
    }
  }

  /// The part of a box that spans `part`, along its fastest `n_axes` axes.
  template <class Visit>
  void walk(std::size_t n_axes, const FileRange& part, const std::byte* values, const FileRange& range,
            const Visit& visit) {
    const bool is_inside = range.begin <= part.begin && part.end <= range.end;
    if (n_axes == 0)
      return visit(is_inside ? run_at(part.begin, values) : clipped(part.begin, values, range));
    const Axis& axis = axes_[n_axes - 1];
    Index first = 0, last = axis.count;
    if (!is_inside) {  // an index meets the range if its part does
      first =
          std::max<Index>(0, floor_div(range.begin - part.begin - axis.inner_bytes, axis.stride_bytes) + 1);
      last = std::min(last, ceil_div(range.end - part.begin, axis.stride_bytes));
    }
    for (Index i = first; i < last; ++i) {
      const Index at = part.begin + i * axis.stride_bytes;
      walk(n_axes - 1, {at, at + axis.inner_bytes}, values + i * axis.memory_stride_bytes, range, visit);
    }
  }
  [[nodiscard]] FileRun run_at(Index at, const std::byte* values) const {
    return {at, run_.count, values, run_.stride_bytes};
  }
  [[nodiscard]] FileRun clipped(Index at, const std::byte* values, const FileRange& range) const;

  const ArrayBoxes& boxes_;
  std::size_t n_dims_, n_boxes_;
  Index sample_bytes_, memory_bytes_;
  // Of one box:
  FileRun run_;
  std::vector<Axis> axes_;  // fastest first
  Index span_bytes_ = 0;    // in the file
};

}  // namespace esker
