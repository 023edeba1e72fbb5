// Deprecated: include "esker/types/schema.hpp". Removed in the next release.
#pragma once

#include "esker/types/schema.hpp"  // IWYU pragma: export
