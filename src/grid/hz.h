// Z and HZ addresses: the position of a sample in the order from coarse to fine.
//
// The HZ order lists level 0, then the samples that level 1 adds, then those of level 2 ... Inside a level,
// samples follow the Z curve of the mask. Addresses are in [0, 2^m), m = mask.max_level(). Source:
// docs/formats/idx.md, section 2; Pascucci and Frank, "Global static indexing for real-time exploration of
// very large regular grids", SC 2001.
#pragma once

#include "esker/types/box.hpp"
#include "grid/bitmask.h"

namespace esker {

/// Z address of `p`, which must be in mask.pow2_box(). Position 1 of the mask is the most significant bit.
Index z_from_point(const Bitmask& mask, const Point& p);
Point point_from_z(const Bitmask& mask, Index z);

Index hz_from_z(const Bitmask& mask, Index z);
Index z_from_hz(const Bitmask& mask, Index hz);

Index hz_from_point(const Bitmask& mask, const Point& p);
Point point_from_hz(const Bitmask& mask, Index hz);

/// The level of an HZ address: 0 for 0, otherwise the number of its bits.
int level_of_hz(Index hz);

/// First HZ address of a level; the level ends where the next one begins.
Index first_hz_of_level(int level);

}  // namespace esker
