// choose_view: see esker/view.hpp; for a grid whose levels are those of a mask.
#pragma once

#include "esker/types/camera.hpp"
#include "grid/bitmask.h"

namespace esker {

/// `grid` has one to three axes. Local, pure.
View choose_view(const Bitmask& mask, const Box& grid, const Camera& camera, const GridPlacement& placement,
                 const ViewOptions& options);

}  // namespace esker
