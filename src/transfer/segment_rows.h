// The rows of a segment: its samples along the fastest axis.
#pragma once

#include <cstddef>

#include "grid/copy_samples.h"

namespace esker {

/// Calls visit(bytes of the row in the first map, in the second) for each row, without the offsets along the
/// fastest axis. Both maps have the same axes and counts.
template <class Visit>
void for_each_row_pair(const SampleMap& first, const SampleMap& second, const Visit& visit) {
  Point i{};
  for (bool done = false; !done;) {  // an odometer over the slower axes
    Index first_bytes = 0, second_bytes = 0;
    for (int a = 1; a < first.num_axes(); ++a) {
      first_bytes += first.offset(a, i[static_cast<std::size_t>(a)]);
      second_bytes += second.offset(a, i[static_cast<std::size_t>(a)]);
    }
    visit(first_bytes, second_bytes);
    int a = 1;
    while (a < first.num_axes() && ++i[static_cast<std::size_t>(a)] == first.axis(a).count) {
      i[static_cast<std::size_t>(a++)] = 0;
    }
    done = a >= first.num_axes();
  }
}

}  // namespace esker
