// Boxes of all ranks: the exchange of boxes when a plan is made, and its check.
#pragma once

#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/types/schema.hpp"
#include "exchange/directory.h"
#include "exchange/patch_list.h"
#include "plan/field_boxes.h"

namespace esker {

/// This rank's boxes of the fields at positions `fields`, in the order of the put calls.
std::vector<PatchBoxes> boxes_of(const std::vector<PatchList>& patches, const std::vector<int>& fields);

/// The extents of the ranks' boxes, [position in the schema]: those of the largest box of each field; 0 if no
/// rank has one. Collective; errors are agreed on all ranks: kInvalidArgument, naming field and box, if a box
/// does not begin at a multiple of these extents.
Result<std::vector<Point>> regular_extents(Comm& comm, const Schema& schema,
                                           const std::vector<PatchList>& patches);

/// The axis along which patches are densest in memory, [position in the schema]; 0 if the ranks differ.
/// Collective; errors are agreed on all ranks (memory).
Result<std::vector<int>> common_dense_axes(Comm& comm, const std::vector<PatchList>& patches);

/// The boxes of the fields of a step and the ranks that hold them, as far as this rank knows them.
struct SharedBoxes {
  Directory directory;
  BoxesOfField of_field;  ///< fields that all ranks put in the same boxes share a list
};

/// The memory of the boxes that this rank knows.
Index size_bytes(const SharedBoxes& boxes);

/// The same for all boxes of all ranks; the same on all ranks.
Index size_bytes_of_all(const SharedBoxes& boxes);

/// Shares the boxes of the fields at positions `fields`, and checks that they cover the grid of each field
/// exactly once, or with `partial` at most once. `mine` is boxes_of(...) for these fields. Collective; errors
/// are agreed on all ranks: kInvalidArgument naming field, ranks and boxes, prefixed by `context`.
Result<SharedBoxes> share_boxes(Comm& comm, const Schema& schema, const std::vector<int>& fields,
                                const std::vector<PatchBoxes>& mine, const std::string& context,
                                bool partial = false);

}  // namespace esker
