// Deprecated: include "esker/types/restructure.hpp". Removed in the next release.
#pragma once

#include "esker/types/restructure.hpp"  // IWYU pragma: export
