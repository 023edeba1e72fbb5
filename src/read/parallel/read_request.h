// What ranks ask for when they read a dataset together.
#pragma once

#include <compare>
#include <vector>

#include "comm/comm.h"
#include "esker/lattice.hpp"
#include "esker/patch.hpp"
#include "esker/status.hpp"
#include "read/opened_dataset.h"

namespace esker {

/// Samples of a field at a step that all ranks' requests are parts of: those of levels <= `level`.
struct ReadColumn {
  Index field = 0;  ///< position in the schema
  Index step = 0;
  Index level = 0;

  friend auto operator<=>(const ReadColumn&, const ReadColumn&) = default;
};

/// What one rank wants of a column.
struct ReadRequest {
  ReadColumn column;
  MutablePatch target;  ///< its box holds lattice indices of level_lattice()
};

/// What one rank wants of samples that are those of no level, and reads by itself.
struct StridedRequest {
  int field = 0;
  Index step = 0;
  ReadTarget target;
};

/// The samples of levels <= `level` of a field's whole grid.
Result<Lattice> level_lattice(const OpenedDataset& data, int field, int level);

/// The columns that any rank asks for, in order. Collective; errors are those of all ranks. Costs a rank
/// little where all ask for the same ones, or for nothing.
Result<std::vector<ReadColumn>> columns_of_all(Comm& comm, const std::vector<ReadRequest>& mine);

}  // namespace esker
