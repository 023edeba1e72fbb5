// Deprecated: include "esker/types/patch.hpp". Removed in the next release.
#pragma once

#include "esker/types/patch.hpp"  // IWYU pragma: export
