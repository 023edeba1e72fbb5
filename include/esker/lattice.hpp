// Deprecated: include "esker/types/lattice.hpp". Removed in the next release.
#pragma once

#include "esker/types/lattice.hpp"  // IWYU pragma: export
