// count_processors: how many processors ranks have together.
#pragma once

#include "comm/comm.h"

namespace esker {

/// Processors that the ranks of all nodes may use; one that several ranks of a node may use counts once. A rank
/// may use those that it is bound to, or all that its system or container lets it. Collective over `comm`, the
/// same on all ranks.
Index count_processors(Comm& comm);

}  // namespace esker
