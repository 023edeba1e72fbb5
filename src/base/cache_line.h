// The line of a processor's cache: what it moves between memory and caches at a time.
#pragma once

#include "esker/types/box.hpp"

namespace esker {

constexpr Index kCacheLineBytes = 64;

}  // namespace esker
