// What runs that were killed left in a group: nothing that readers of the group see.
#pragma once

#include "formats/zarr/metadata.h"
#include "formats/zarr/paths.h"
#include "read/findings.h"
#include "store/store.h"

namespace esker::zarr {

/// Warns of a creation that was not completed, of files of steps that are not committed, and of arrays whose
/// metadata are ahead of the group's. The next writer that appends removes them, or sets them back. Of local
/// datasets only.
Status find_leftovers(Store& store, const Paths& paths, const Group& group, Findings& findings);

}  // namespace esker::zarr
