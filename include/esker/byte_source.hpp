// Deprecated: include "esker/types/byte_source.hpp". Removed in the next release.
#pragma once

#include "esker/types/byte_source.hpp"  // IWYU pragma: export
