// FormatWriter: what a file format contributes to writing - layouts, file names, headers, commit.
//
// The write pipeline moves samples by the layouts and knows nothing else of a format. No MPI: which rank
// calls what is stated per function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "esker/options.hpp"
#include "esker/schema.hpp"
#include "esker/status.hpp"
#include "layout/layout.h"

namespace esker {

/// What decides how the samples of a step are collected for storing; it changes no byte of a file.
struct StepHints {
  Index step = 0;
  std::vector<int> dense_axes;  ///< [position in Schema::fields()] fastest in the patches' memory; none: x
  WritePattern pattern = WritePattern::kContiguous;
  Index stripe_size_bytes = 0;  ///< with kStripes
  int stripe_writers = 1;       ///< among which stripes are dealt out

  [[nodiscard]] int dense_axis(std::size_t field) const { return dense_axes.empty() ? 0 : dense_axes[field]; }
};

/// How the steps that hold a certain set of fields are laid out.
class StepLayouts {
 public:
  virtual ~StepLayouts() = default;

  /// Components of a field that are laid out as one field of a layout; most often all of them.
  struct Column {
    int field = 0;            ///< position in Schema::fields()
    int first_component = 0;  ///< of the field
    int layout = 0;           ///< number in layouts
    int layout_field = 0;     ///< position in that layout's list of fields
  };
  std::vector<std::shared_ptr<const Layout>> layouts;
  std::vector<Column> columns;  ///< of the fields in the set

  /// Path of a file of a layout at a step.
  [[nodiscard]] virtual std::string file_path(int layout, Index file, Index step) const = 0;
  /// Whether the layout is in a file with all other such layouts and all steps. What a step that failed has
  /// written stays there, behind what is committed; nobody but commit() completes it.
  [[nodiscard]] virtual bool shares_files(int /*layout*/) const { return false; }
  /// Whether any layout is, and the files of a step then: the shared one counts once.
  [[nodiscard]] bool shares_a_file() const {
    for (std::size_t n = 0; n < layouts.size(); ++n) {
      if (shares_files(static_cast<int>(n))) return true;
    }
    return false;
  }
  [[nodiscard]] Index num_files() const {
    Index files = shares_a_file() ? 1 : 0;
    for (std::size_t n = 0; n < layouts.size(); ++n) {
      if (!shares_files(static_cast<int>(n))) files += layouts[n]->num_files();
    }
    return files;
  }
  /// Whether a step other than the one that was laid out can be written so.
  [[nodiscard]] virtual bool fits(Index /*step*/) const { return true; }
  /// What a step adds to the layout's offsets in its files.
  [[nodiscard]] virtual Index step_offset_bytes(int /*layout*/, Index /*step*/) const { return 0; }
  /// Whether it is rank 0 who says where a step's pieces go: FormatWriter::prepare() then comes before
  /// file_path() and step_offset_bytes(), and what it returns is given to take_places() on all ranks.
  [[nodiscard]] virtual bool needs_places() const { return false; }
  /// Local, pure.
  virtual Status take_places(const std::string& /*places*/) { return {}; }
  /// Makes of a piece's samples, as they are in memory, what is stored. In place, before checksum().
  virtual void encode(int /*layout*/, const Piece& /*piece*/, std::span<std::byte> /*bytes*/) const {}
  /// Whether encode() does anything.
  [[nodiscard]] virtual bool has_encoding() const { return false; }
  /// Whether file_headers() wants checksums of pieces.
  [[nodiscard]] virtual bool has_checksums() const { return false; }
  /// Checksum of a piece as it is stored.
  [[nodiscard]] virtual std::uint64_t checksum(int /*layout*/, const Piece& /*piece*/,
                                               std::span<const std::byte> /*bytes*/) const {
    return 0;
  }
  /// What stands at the beginning of that file, before its data, unless it is shared. `sums`: of its pieces,
  /// in file order; empty without has_checksums().
  [[nodiscard]] virtual std::vector<std::byte> file_headers(int /*layout*/, Index /*file*/, Index /*step*/,
                                                            std::span<const std::uint64_t> /*sums*/) const {
    return {};
  }
};

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
