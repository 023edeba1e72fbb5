// Deprecated: include "esker/types/options.hpp". Removed in the next release.
#pragma once

#include "esker/types/options.hpp"  // IWYU pragma: export
