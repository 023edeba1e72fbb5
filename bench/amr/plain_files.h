// The limits of the AMR benchmark: the bytes of all patches in plain files, without any description of them.
#pragma once

#include "runner.h"

namespace bench {

/// `posix`: a file per rank and step; `posix_shared`: a file per step, in which each rank writes a contiguous
/// part.
std::vector<NamedMode> limit_modes(const miniapp::World& world);

}  // namespace bench
