// Deprecated: include "esker/types/box.hpp". Removed in the next release.
#pragma once

#include "esker/types/box.hpp"  // IWYU pragma: export
