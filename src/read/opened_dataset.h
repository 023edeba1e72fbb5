// OpenedDataset: what reading needs to know of a dataset, whatever its format.
//
// Dataset resolves queries with it; a format says where fields have samples, and reads them. No MPI.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "esker/dataset.hpp"
#include "esker/schema.hpp"
#include "esker/verify.hpp"
#include "grid/bitmask.h"
#include "read/read_context.h"
#include "read/read_target.h"

namespace esker {

/// Boxes that a grid is cut into, from its lower corner on, when several ranks read it together.
struct ReadUnit {
  Point extent{1, 1, 1, 1, 1};  ///< in samples of the level
  bool whole = false;           ///< a part of one costs as much as all of it
  bool in_one_call = false;     ///< else parts of it are read as well, by several
};

/// Fields are positions in schema.fields(), steps in times; `step` is 0 for fixed fields.
class OpenedDataset {
 public:
  OpenedDataset() = default;
  OpenedDataset(OpenedDataset&&) = default;
  OpenedDataset& operator=(OpenedDataset&&) = default;
  virtual ~OpenedDataset() = default;

  Schema schema;
  std::vector<double> times;  ///< committed steps
  std::vector<PartInfo> infos;
  std::vector<std::string> warnings;  ///< what was wrong without keeping the samples from being read

  /// False: it is written with the first step, and there is none yet.
  [[nodiscard]] virtual bool has_samples(int field) const = 0;
  /// Whether a field that has_samples() was written at that step.
  [[nodiscard]] virtual bool has(int field, Index step) const = 0;
  [[nodiscard]] virtual Box box(int field) const = 0;
  /// Its levels.
  [[nodiscard]] virtual Result<Bitmask> bitmask(int field) const = 0;
  /// Reads samples of a step that has() them, components innermost. Several threads may read at once.
  virtual Status read(int field, Index step, const ReadTarget& target, const ReadContext& context) const = 0;
  /// What a rank reads best in one go, of the samples of a level that lie in the grid.
  [[nodiscard]] virtual ReadUnit read_unit(int field, int level) const = 0;
  /// Files with samples of committed steps.
  [[nodiscard]] virtual Result<StorageInfo> storage() const = 0;
  /// Reads all that is there; what it finds goes to `report`. `progress` as for esker::verify.
  virtual Status verify(VerifyReport& report, const std::function<void(double)>& progress) const = 0;
};

}  // namespace esker
