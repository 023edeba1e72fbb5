// dense_axis: along which axis samples follow each other most closely in memory.
#pragma once

#include <cstdlib>

#include "esker/types/patch.hpp"

namespace esker {

/// The axis with the smallest stride among those along which `part` of the patch has several samples; 0 if
/// there is none.
inline int dense_axis(const Patch& patch, const Box& part) {
  int dense = 0;
  for (int a = 1; a < part.rank; ++a) {
    const bool denser =
        part.extent(dense) == 1 || std::abs(patch.stride_bytes[a]) < std::abs(patch.stride_bytes[dense]);
    if (part.extent(a) > 1 && denser) dense = a;
  }
  return dense;
}

}  // namespace esker
