// FormatWriter: what a file format contributes to writing - layouts, file names, headers, commit.
//
// The write pipeline moves samples by the layouts and knows nothing else of a format. No MPI: which rank
// calls what is stated per function.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "esker/options.hpp"
#include "esker/schema.hpp"
#include "esker/status.hpp"
#include "layout/step_layouts.h"

namespace esker {

class FormatWriter {
 public:
  virtual ~FormatWriter() = default;

  /// Rank 0, first: may a dataset be made at the path? Takes the writer lock.
  virtual Status check_target() = 0;
  /// Rank 0, after check_target: whether create() will remove a dataset that stands there.
  [[nodiscard]] virtual bool replaces_existing() const = 0;
  /// All ranks, once, with the complete schema: works out grids, block sizes, names. Local, pure.
  virtual Status define(const Schema& schema) = 0;
  /// Whether take_boxes() is to come before the first step is laid out, until it is created.
  [[nodiscard]] virtual bool needs_boxes() const { return false; }
  /// All ranks: the extents of the ranks' boxes, [position in Schema::fields()]; 0 on all axes of a field
  /// that nobody put. Local, pure.
  virtual Status take_boxes(const std::vector<Point>& /*extents*/) { return {}; }
  /// Rank 0, first, to append instead: takes the writer lock and reads what restore() needs to know.
  virtual Result<std::string> read_existing() = 0;
  /// All ranks, instead of define: takes up the dataset that read_existing() found. Local, pure.
  virtual Status restore(const std::string& existing) = 0;
  /// Rank 0, after restore or rewind: removes what belongs to no committed step. Begins with check_ours().
  virtual Status reclaim(bool durable) = 0;
  /// Rank 0, after create or restore: kDataLoss unless this writer still holds the lock, and what is
  /// committed is what it left there. Else nothing may be written or removed: it is another writer's.
  virtual Status check_ours() = 0;
  /// All ranks, after restore: kDataLoss where reclaim() would drop committed steps, as the files of a dataset
  /// in two formats hold different ones. Those later than `to_time` may go. Local, pure.
  [[nodiscard]] virtual Status check_steps(const std::optional<double>& /*to_time*/) const { return {}; }
  /// Rank 0, before a step's bytes are written: kAlreadyExists where they would go through a symbolic link
  /// below the dataset.
  virtual Status check_step_place(Index /*step*/) { return {}; }
  [[nodiscard]] virtual const Schema& schema() const = 0;
  /// Of the committed steps; true on all ranks after restore, later on rank 0.
  [[nodiscard]] virtual const std::vector<double>& times() const = 0;
  /// Rank 0, after define: removes what is replaced, writes what stands before the first step. May be called
  /// again after a failure.
  virtual Status create(bool durable) = 0;
  /// All ranks: layouts for the fields with present[field]. Local, pure.
  [[nodiscard]] virtual std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present,
                                                             const StepHints& hints) const = 0;
  /// Rank 0, before a step's bytes are written, if its layouts need places: finds room for them. Changes no
  /// file; what it finds holds until the next call of prepare(), commit(), rewind() or reclaim().
  virtual Result<std::string> prepare(Index /*step*/, double /*time*/, const std::vector<bool>& /*present*/) {
    return std::string();
  }
  /// Rank 0, when all bytes of the step are in place: makes it visible. `durable`: and safe on the device.
  virtual Status commit(Index step, double time, const std::vector<bool>& present, bool durable) = 0;
  /// Rank 0: the steps from `num_steps` on are committed no more. Begins with check_ours(); goes on after a
  /// later error, and returns the first.
  virtual Status rewind(Index num_steps, bool durable) = 0;
  /// From now on what is committed, and may be durable, is not put at risk by a commit that is not durable: an
  /// index is on the device before it takes the place of another. For datasets that were found.
  virtual void protect_committed() {}
  /// Rank 0: the files of the committed steps [first, end) that are not in metadata_paths().
  [[nodiscard]] virtual std::vector<std::string> data_paths(Index /*first*/, Index /*end*/) const { return {}; }
  /// Files that are neither block files nor temporary.
  [[nodiscard]] virtual std::vector<std::string> metadata_paths() const = 0;
  /// Rank 0: releases the lock.
  virtual Status release() = 0;
  /// Path without extension, for files beside the dataset.
  [[nodiscard]] virtual std::string stem() const = 0;
};

}  // namespace esker
