// CopyTask: what one launch of the copy kernel does. Read by the C++ compiler and by that of the device.
//
// Unit n is at base + offsets of its indices, on both sides; the first axis is the fastest. An axis has equal
// strides, or a table of offsets, for orders that are not affine, e.g. HZ order.
#pragma once

namespace esker::device {

inline constexpr int kMaxTaskAxes = 7;  ///< of a copy of samples, and of the units of a sample
inline constexpr int kMaxTaskOffsets = 400;

struct TaskAxis {
  unsigned count;
  int from_table, to_table;  ///< where its offsets begin in CopyTask::offsets; -1: it has strides
  long long from_stride, to_stride;
};

/// Must fit in the parameters of a kernel: 4096 bytes.
struct CopyTask {
  unsigned long long from, to;  ///< addresses on the device
  unsigned num_units;
  unsigned unit_bytes;  ///< 1, 2, 4 or 8; divides all addresses, strides and offsets
  unsigned num_axes;
  TaskAxis axes[kMaxTaskAxes];
  long long offsets[kMaxTaskOffsets];
};
static_assert(sizeof(CopyTask) <= 4096);

}  // namespace esker::device
