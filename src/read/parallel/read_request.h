// The requests of ranks that read a dataset together.
#pragma once

#include <compare>
#include <vector>

#include "comm/comm.h"
#include "esker/types/lattice.hpp"
#include "esker/types/patch.hpp"
#include "esker/types/status.hpp"
#include "read/opened_dataset.h"
#include "read/read_context.h"

namespace esker {

/// Samples of a field at a step that contain the requests of all ranks: those of levels <= `level`.
struct ReadColumn {
  Index field = 0;  ///< position in the schema
  Index step = 0;
  Index level = 0;
  Index bits = 0;  ///< see ReadContext
  Index missing =
      0;  ///< a MissingBlocks; all members have one type, so that columns can be compared as bytes

  [[nodiscard]] ReadContext context(bool verify) const {
    return {.verify = verify, .missing = static_cast<MissingBlocks>(missing), .bits = static_cast<int>(bits)};
  }
  friend auto operator<=>(const ReadColumn&, const ReadColumn&) = default;
};

/// One rank's request for a column.
struct ReadRequest {
  ReadColumn column;
  MutablePatch target;  ///< its box holds lattice indices of level_lattice()
};

/// One rank's request for samples that do not form a level, which the rank reads by itself.
struct StridedRequest {
  ReadColumn column;
  Lattice samples;
  MutablePatch target;  ///< its box holds indices of `samples`
};

/// The samples of levels <= `level` of a field's complete grid.
Result<Lattice> level_lattice(const OpenedDataset& data, int field, int level);

/// The columns that any rank requests, in order. Collective; errors are agreed on all ranks. The cost per
/// rank is low if all ranks request the same columns, or none.
Result<std::vector<ReadColumn>> columns_of_all(Comm& comm, const std::vector<ReadRequest>& mine);

}  // namespace esker
