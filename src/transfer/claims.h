// Claims: which of the samples that ranks bring are stored, where several bring the same ones.
//
// Each sample belongs to the highest rank that brings it, and among the boxes of one rank to the last. The
// boxes of other ranks are cut.
#pragma once

#include <vector>

#include "comm/comm.h"
#include "exchange/directory.h"

namespace esker {

/// A part of a box of this rank that it stores.
struct Claim {
  int source = 0;  ///< position of the box in its list
  Box box;
};

/// The boxes of all ranks, without overlaps, and what they leave of this rank's.
struct Claims {
  Directory directory;
  std::vector<std::vector<Claim>> mine;  ///< [list]; the boxes in the directory, in the same order
};

/// Publishes boxes that may overlap, and have gaps. Collective; errors are those of all ranks: kOutOfMemory.
/// Boxes that do not overlap cost one directory; others a second one, and each rank learns all boxes that
/// meet its own.
Result<Claims> share_claims(Comm& comm, const std::vector<BoxList>& mine);

/// Publishes the boxes that ranks want: all of each. Collective; errors as above.
Result<Claims> share_wanted(Comm& comm, const std::vector<BoxList>& mine);

}  // namespace esker
