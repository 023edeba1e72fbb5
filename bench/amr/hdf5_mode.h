// Patches in parallel HDF5, in the layout that AMReX and Chombo share.
#pragma once

#include "runner.h"

namespace bench {

/// A file per step; a group per level with the patches back to back in one dataset, all components of a patch
/// together, and their boxes and offsets. A rank writes its patches of a level at once, collectively or
/// independently.
std::vector<NamedMode> hdf5_modes(const miniapp::World& world);
/// "1.10.8"
std::string hdf5_version();

}  // namespace bench
