// Deprecated: include "esker/types/in_block_order.hpp". Removed in the next release.
#pragma once

#include "esker/types/in_block_order.hpp"  // IWYU pragma: export
