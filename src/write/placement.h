// Placement: which ranks aggregate.
#pragma once

#include <vector>

#include "comm/comm.h"
#include "esker/decomposition.hpp"
#include "esker/status.hpp"
#include "exchange/patch_list.h"
#include "plan/plan.h"
#include "write/file_pattern.h"

namespace esker {

/// For each of `bricks` (at most comm.size()) the rank that holds its midst, by this rank's boxes `mine` of
/// the same grid; another one where a rank holds several. Collective, the same on all ranks. Errors: those of
/// all ranks (memory).
Result<std::vector<int>> place_aggregators(Comm& comm, const BrickDecomposition& bricks,
                                           const PatchBoxes& mine);

/// `n_aggregators` ranks, spread evenly over the nodes, however ranks are numbered: evenly over the list of
/// all ranks node by node. Collective, the same on all ranks; O(n_aggregators). Errors: those of all ranks
/// (memory).
Result<std::vector<int>> spread_over_nodes(Comm& comm, int n_aggregators);

/// Whether shares of each layout, which are the layouts' own, say who writes what. Local, pure.
bool has_shares(const FilePattern& pattern, const StepLayouts& layouts, const PieceSpace& space);

/// `n` bricks of each layout, like what the ranks hold of it. Local, pure.
std::vector<BrickDecomposition> bricks_of_layouts(const PieceSpace& space,
                                                  const std::vector<FieldPatches>& fields, int n);

/// Makes the ranks of a list different: where one (or -1) is taken, the next one that is free, in a circle.
void make_different(std::vector<int>& ranks, int n_ranks);

}  // namespace esker
