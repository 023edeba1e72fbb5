// Deprecated: include "esker/types/status.hpp". Removed in the next release.
#pragma once

#include "esker/types/status.hpp"  // IWYU pragma: export
