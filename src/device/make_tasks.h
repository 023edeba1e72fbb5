// A copy of samples as tasks of the copy kernel, or as boxes for the driver.
#pragma once

#include <cstddef>
#include <functional>

#include "device/copy_task.h"
#include "grid/copy_samples.h"

namespace esker::device {

/// A copy of samples, as copy_samples() makes them; both addresses are the device's.
struct SampleCopy {
  Index element_bytes = 0;
  unsigned long long from = 0;
  const SampleMap* from_map = nullptr;
  unsigned long long to = 0;
  const SampleMap* to_map = nullptr;

  /// All samples.
  [[nodiscard]] Index size_bytes() const;
};

/// Calls visit(task) for tasks that make the copy together: one, unless it has more offsets or units than a
/// task. Pure; allocates nothing.
void for_each_task(const SampleCopy& copy, const std::function<void(const CopyTask&)>& visit);

/// Planes of rows of bytes, which the driver copies without a kernel.
struct CopyBox {
  Index from_bytes = 0, to_bytes = 0;  ///< of its first row, from the addresses of the copy on
  Index row_bytes = 0, rows = 1, planes = 1;
  Index from_pitch_bytes = 0, to_pitch_bytes = 0;  ///< from one row to the next, if there are several
  Index from_plane_rows = 0, to_plane_rows = 0;    ///< from one plane to the next, likewise
};
/// Calls visit(box) for boxes that make the copy together. Pure; allocates nothing.
void for_each_copy_box(const SampleCopy& copy, const std::function<void(const CopyBox&)>& visit);

}  // namespace esker::device
