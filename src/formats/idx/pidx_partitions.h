// Datasets that PIDX partitioned: name.idx has no blocks; they are in name_0.idx ..., each of which has local
// coordinates.
//
// Source: docs/formats/idx.md, section 10.
#pragma once

#include <memory>
#include <vector>

#include "formats/idx/joined_parts.h"
#include "store/store.h"

namespace esker::idx {

/// The partitions of `whole`; none if it has blocks itself. kUnsupported, naming the files that can be opened
/// one by one, unless the partitions cover the complete box exactly once and agree in fields and steps.
Result<std::vector<JoinedPart>> open_pidx_partitions(const std::shared_ptr<Store>& store,
                                                     const IdxPart& whole);

}  // namespace esker::idx
