// copy_unit: what the kernel does with one unit. Devices run it, and the tests.
#pragma once

#include "device/copy_task.h"

#if defined(__CUDA__) || defined(__HIP__)
#define ESKER_ON_DEVICE __attribute__((device))
#else
#define ESKER_ON_DEVICE
#endif

namespace esker::device {

struct UnitAddresses {
  unsigned long long from, to;
};

ESKER_ON_DEVICE inline UnitAddresses addresses_of(const CopyTask& task, unsigned unit) {
  UnitAddresses at{task.from, task.to};
  for (unsigned a = 0; a < task.num_axes; ++a) {
    const TaskAxis& axis = task.axes[a];
    const long long index = unit % axis.count;
    unit /= axis.count;
    at.from += static_cast<unsigned long long>(axis.from_table < 0 ? axis.from_stride * index
                                                                   : task.offsets[axis.from_table + index]);
    at.to += static_cast<unsigned long long>(axis.to_table < 0 ? axis.to_stride * index
                                                               : task.offsets[axis.to_table + index]);
  }
  return at;
}

template <class Unit>
ESKER_ON_DEVICE inline void move_unit(const UnitAddresses& at) {
  *reinterpret_cast<Unit*>(at.to) = *reinterpret_cast<const Unit*>(at.from);
}

ESKER_ON_DEVICE inline void copy_unit(const CopyTask& task, unsigned unit) {
  const UnitAddresses at = addresses_of(task, unit);
  switch (task.unit_bytes) {
    case 1:
      return move_unit<unsigned char>(at);
    case 2:
      return move_unit<unsigned short>(at);
    case 4:
      return move_unit<unsigned>(at);
    default:
      return move_unit<unsigned long long>(at);
  }
}

}  // namespace esker::device
