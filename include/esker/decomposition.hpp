// Deprecated: include "esker/types/decomposition.hpp". Removed in the next release.
#pragma once

#include "esker/types/decomposition.hpp"  // IWYU pragma: export
