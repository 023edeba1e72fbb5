// Datasets that PIDX partitioned: name.idx has no blocks, name_0.idx ... have them, each in its own
// coordinates.
//
// A query of the whole asks every partition for its samples and places them at the partition's offset.
// Source: docs/formats/idx.md, section 10.
#pragma once

#include <memory>
#include <vector>

#include "esker/lattice.hpp"
#include "formats/idx/idx_part.h"
#include "store/store.h"

namespace esker::idx {

struct JoinedPartition {
  std::unique_ptr<IdxPart> part;
  Point offset{};  ///< of its sample (0, 0, 0) in the whole
  Box box;         ///< of its samples, in coordinates of the whole, clipped to it
};

/// The partitions of `whole`; none if it has blocks of its own. kUnsupported, naming the files that can be
/// opened one by one, unless the partitions cover the whole box once and agree in fields and steps.
Result<std::vector<JoinedPartition>> open_pidx_partitions(const std::shared_ptr<Store>& store,
                                                          const IdxPart& whole);

/// Reads field number `field` of each part at integer time `time`.
Status read_pidx_partitions(const std::vector<JoinedPartition>& partitions, int field, Index time,
                            const ReadTarget& target, const ReadContext& context);

}  // namespace esker::idx
