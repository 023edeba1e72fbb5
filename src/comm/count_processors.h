// count_processors: the number of processors that the ranks have together.
#pragma once

#include "comm/comm.h"

namespace esker {

/// Processors that the ranks of all nodes may use. A processor that several ranks of a node may use counts
/// once. A rank may use the processors that it is bound to, or all that its system or container allows.
/// Collective over `comm`, the same on all ranks.
Index count_processors(Comm& comm);

/// How many ranks may write to one file without waiting for each other, in the file system or for a
/// processor; 0: all of them. Collective, the same on all ranks.
int most_writers_of_a_file(Comm& comm);

}  // namespace esker
