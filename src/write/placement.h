// Placement: which ranks aggregate by the local rule of Ownership.
#pragma once

#include <vector>

#include "comm/comm.h"
#include "esker/box.hpp"
#include "esker/status.hpp"
#include "layout/layout.h"

namespace esker {

/// For each of `n_aggregators` (at most comm.size()) the rank that holds the midst of its share of `layout`,
/// by this rank's boxes `mine` of the layout's grid; another one where a rank holds several. Collective, the
/// same on all ranks. Errors: those of all ranks (memory).
Result<std::vector<int>> place_aggregators(Comm& comm, const Layout& layout, const std::vector<Box>& mine,
                                           int n_aggregators);

/// Makes the ranks of a list different: where one (or -1) is taken, the next one that is free, in a circle.
void make_different(std::vector<int>& ranks, int n_ranks);

}  // namespace esker
