// Deprecated: include "esker/types/sample_type.hpp". Removed in the next release.
#pragma once

#include "esker/types/sample_type.hpp"  // IWYU pragma: export
