#include "grid/subtract.h"

namespace esker {

// Cuts slabs off the box, axis by axis, slowest first, until only samples of `what` are left.
void subtract(const Box& from, const Box& what, std::vector<Box>& rest) {
  if (from.empty()) return;
  const Box shared = intersect(from, what);
  if (shared.empty()) {
    rest.push_back(from);
    return;
  }
  Box left = from;
  for (int a = from.rank - 1; a >= 0; --a) {
    Box slab = left;
    slab.hi[a] = shared.lo[a];
    if (!slab.empty()) rest.push_back(slab);
    slab = left;
    slab.lo[a] = shared.hi[a];
    if (!slab.empty()) rest.push_back(slab);
    left.lo[a] = shared.lo[a];
    left.hi[a] = shared.hi[a];
  }
}

}  // namespace esker
