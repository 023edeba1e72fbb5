// AlikeFields: fields of a plan that have the same segments, at other positions.
#pragma once

#include <vector>

#include "plan/piece_space.h"
#include "plan/relays.h"

namespace esker {

/// Whether two fields belong to one layout, are held in the same boxes, and have pieces with the same parts
/// (Layout::have_same_parts).
bool have_same_pieces(const PieceSpace& space, const FieldPatches& a, const FieldPatches& b);

/// The fields in lists. Those of one list have_same_pieces() and send their samples directly. Pure, the same
/// on every rank.
std::vector<std::vector<int>> find_alike(const PieceSpace& space, const std::vector<FieldPatches>& fields,
                                         const Relays& relays);

}  // namespace esker
