#include "device/make_tasks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "grid/copy_loop.h"

namespace esker::device {
namespace {

static_assert(kMaxTaskAxes >= kMaxCopyAxes + 1);  // the units of a run are an axis
constexpr Index kMostUnits = Index{1} << 31;
constexpr Index kMostPitchBytes = (Index{1} << 31) - 1;  // of the driver's copies

/// The axes of a copy as the kernel has them: the units of a run, then the axes of the loop.
struct Axes {
  std::array<CopyAxis, kMaxTaskAxes> axis;
  int num_axes = 0;
  Index unit_bytes = 8;
  unsigned long long from = 0, to = 0;
};

/// The bits of everything that units must divide.
std::uint64_t bits_of(const CopyAxis& axis) {
  std::uint64_t bits = 0;
  for (const auto& [table, stride] :
       {std::pair(axis.source_table, axis.source_stride), std::pair(axis.target_table, axis.target_stride)}) {
    if (table == nullptr) bits |= static_cast<std::uint64_t>(stride);
    for (Index i = 0; table != nullptr && i < axis.count; ++i) bits |= static_cast<std::uint64_t>(table[i]);
  }
  return bits;
}

Axes axes_of(const SampleCopy& copy) {
  const CopyLoop loop = make_copy_loop(copy.element_bytes, *copy.from_map, *copy.to_map);
  Axes axes;
  axes.from = copy.from + static_cast<unsigned long long>(loop.first_source);
  axes.to = copy.to + static_cast<unsigned long long>(loop.first_target);
  std::uint64_t bits = axes.from | axes.to | static_cast<std::uint64_t>(loop.run_bytes);
  for (int a = 0; a < loop.num_axes; ++a) bits |= bits_of(loop.axis[static_cast<std::size_t>(a)]);
  while (bits % static_cast<std::uint64_t>(axes.unit_bytes) != 0) axes.unit_bytes /= 2;
  const Index units = loop.run_bytes / axes.unit_bytes;
  if (units > 1) axes.axis[axes.num_axes++] = {units, axes.unit_bytes, axes.unit_bytes, nullptr, nullptr};
  std::copy_n(loop.axis.begin(), loop.num_axes, axes.axis.begin() + axes.num_axes);
  axes.num_axes += loop.num_axes;
  return axes;
}

int num_tables(const CopyAxis& axis) {
  return (axis.source_table != nullptr ? 1 : 0) + (axis.target_table != nullptr ? 1 : 0);
}

/// Whether it fits in one task; else the axis to halve is in `longest`.
bool fits_in_a_task(const Axes& axes, std::size_t& longest) {
  Index units = 1, offsets = 0;
  std::size_t with_tables = 0;
  longest = 0;
  bool has_many_units = false;
  for (std::size_t a = 0; a < static_cast<std::size_t>(axes.num_axes); ++a) {
    const CopyAxis& axis = axes.axis[a];
    offsets += num_tables(axis) * axis.count;
    if (num_tables(axis) * axis.count > num_tables(axes.axis[with_tables]) * axes.axis[with_tables].count)
      with_tables = a;
    if (axis.count > axes.axis[longest].count) longest = a;
    has_many_units = has_many_units || axis.count >= kMostUnits / units;
    units = has_many_units ? 1 : units * axis.count;
  }
  if (has_many_units) return false;
  longest = with_tables;
  return offsets <= kMaxTaskOffsets;
}

/// One side of an axis in a task.
void take_side(const Index* table, Index stride, Index count, int& next, int& begin, long long& task_stride,
               CopyTask& task) {
  begin = -1;
  task_stride = stride;
  if (table == nullptr) return;
  begin = next;
  std::copy_n(table, count, task.offsets + next);
  next += static_cast<int>(count);
}

void make_task(const Axes& axes, CopyTask& task) {
  task.from = axes.from;
  task.to = axes.to;
  task.unit_bytes = static_cast<unsigned>(axes.unit_bytes);
  task.num_axes = static_cast<unsigned>(axes.num_axes);
  task.num_units = 1;
  int next = 0;
  for (int a = 0; a < axes.num_axes; ++a) {
    const CopyAxis& axis = axes.axis[static_cast<std::size_t>(a)];
    TaskAxis& made = task.axes[a];
    made.count = static_cast<unsigned>(axis.count);
    task.num_units *= made.count;
    take_side(axis.source_table, axis.source_stride, axis.count, next, made.from_table, made.from_stride,
              task);
    take_side(axis.target_table, axis.target_stride, axis.count, next, made.to_table, made.to_stride, task);
  }
}

/// The part of the axis from index `begin` on.
void take_part(Axes& axes, std::size_t number, Index begin, Index count) {
  CopyAxis& axis = axes.axis[number];
  if (axis.source_table != nullptr) {
    axis.source_table += begin;
  } else {
    axes.from += static_cast<unsigned long long>(begin * axis.source_stride);
  }
  if (axis.target_table != nullptr) {
    axis.target_table += begin;
  } else {
    axes.to += static_cast<unsigned long long>(begin * axis.target_stride);
  }
  axis.count = count;
}

void visit_tasks(const Axes& axes, CopyTask& task, const std::function<void(const CopyTask&)>& visit) {
  std::size_t longest = 0;
  if (fits_in_a_task(axes, longest)) {
    make_task(axes, task);
    return visit(task);
  }
  const Index count = axes.axis[longest].count, half = count / 2;
  Axes part = axes;
  take_part(part, longest, 0, half);
  visit_tasks(part, task, visit);
  part = axes;
  take_part(part, longest, half, count - half);
  visit_tasks(part, task, visit);
}

/// How many of the innermost axes are rows and planes of a box.
int axes_in_box(const CopyLoop& loop) {
  const auto is_pitch = [&](const CopyAxis& axis) {
    return axis.is_linear() && std::min(axis.source_stride, axis.target_stride) >= loop.run_bytes &&
           std::max(axis.source_stride, axis.target_stride) <= kMostPitchBytes;
  };
  if (loop.num_axes == 0 || !is_pitch(loop.axis[0])) return 0;
  const CopyAxis &rows = loop.axis[0], &planes = loop.axis[1];
  const auto is_plane = [&](Index stride, Index pitch) {
    return stride % pitch == 0 && stride / pitch >= rows.count;
  };
  const bool has_planes = loop.num_axes > 1 && planes.is_linear() &&
                          is_plane(planes.source_stride, rows.source_stride) &&
                          is_plane(planes.target_stride, rows.target_stride);
  return has_planes ? 2 : 1;
}

}  // namespace

Index SampleCopy::size_bytes() const {
  Index bytes = element_bytes;
  for (int a = 0; a < from_map->num_axes(); ++a) bytes *= from_map->axis(a).count;
  return bytes;
}

void for_each_task(const SampleCopy& copy, const std::function<void(const CopyTask&)>& visit) {
  if (copy.size_bytes() == 0) return;
  CopyTask task;
  visit_tasks(axes_of(copy), task, visit);
}

void for_each_copy_box(const SampleCopy& copy, const std::function<void(const CopyBox&)>& visit) {
  if (copy.size_bytes() == 0) return;
  const CopyLoop loop = make_copy_loop(copy.element_bytes, *copy.from_map, *copy.to_map);
  const int inner = axes_in_box(loop);
  CopyBox box;
  box.row_bytes = loop.run_bytes;
  if (inner > 0) {
    box.rows = loop.axis[0].count;
    box.from_pitch_bytes = loop.axis[0].source_stride;
    box.to_pitch_bytes = loop.axis[0].target_stride;
  }
  if (inner > 1) {
    box.planes = loop.axis[1].count;
    box.from_plane_rows = loop.axis[1].source_stride / box.from_pitch_bytes;
    box.to_plane_rows = loop.axis[1].target_stride / box.to_pitch_bytes;
  }
  std::array<Index, kMaxCopyAxes> at{};
  for (int a = inner; a <= loop.num_axes;) {
    box.from_bytes = loop.first_source;
    box.to_bytes = loop.first_target;
    for (int b = inner; b < loop.num_axes; ++b) {
      const auto axis = static_cast<std::size_t>(b);
      box.from_bytes += loop.axis[axis].source(at[axis]);
      box.to_bytes += loop.axis[axis].target(at[axis]);
    }
    visit(box);
    for (a = inner; a < loop.num_axes; ++a) {  // the next combination of indices
      const auto axis = static_cast<std::size_t>(a);
      if (++at[axis] < loop.axis[axis].count) break;
      at[axis] = 0;
    }
    if (a == loop.num_axes) return;
  }
}

}  // namespace esker::device
