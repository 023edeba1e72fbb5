// Datasets that PIDX partitioned: name.idx has no blocks; they are in name_0.idx ..., each of which has local
// coordinates.
//
// A query of the complete dataset reads the samples of every partition and copies them to the partition's
// offset. Source: docs/formats/idx.md, section 10.
#pragma once

#include <memory>
#include <vector>

#include "esker/types/lattice.hpp"
#include "formats/idx/idx_part.h"
#include "store/store.h"

namespace esker::idx {

struct JoinedPartition {
  std::unique_ptr<IdxPart> part;
  Point offset{};  ///< position of its sample (0, 0, 0) in the complete dataset
  Box box;         ///< box of its samples in the complete dataset, clipped to it
};

/// The partitions of `whole`; none if it has blocks itself. kUnsupported, naming the files that can be opened
/// one by one, unless the partitions cover the complete box exactly once and agree in fields and steps.
Result<std::vector<JoinedPartition>> open_pidx_partitions(const std::shared_ptr<Store>& store,
                                                          const IdxPart& whole);

/// Reads field number `field` of each part at integer time `time`.
Status read_pidx_partitions(const std::vector<JoinedPartition>& partitions, int field, Index time,
                            const ReadTarget& target, const ReadContext& context);

}  // namespace esker::idx
