// FormatWriter: what a file format contributes to writing - layouts, file names, headers, commit.
//
// The write pipeline moves samples by the layouts and knows nothing else of a format. No MPI: which rank
// calls what is stated per function.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "esker/schema.hpp"
#include "esker/status.hpp"
#include "layout/layout.h"

namespace esker {

/// How the steps that hold a certain set of fields are laid out.
class StepLayouts {
 public:
  virtual ~StepLayouts() = default;

  struct Place {
    int layout = -1;  ///< number in layouts; -1: the field is not in the set
    int field = -1;   ///< position in that layout's list of fields
  };
  std::vector<std::unique_ptr<Layout>> layouts;
  std::vector<Place> place_of_field;  ///< [position in Schema::fields()]

  /// Path of a file of a layout at a step.
  [[nodiscard]] virtual std::string file_path(int layout, Index file, Index step) const = 0;
  /// What stands at the beginning of that file, before its data.
  [[nodiscard]] virtual std::vector<std::byte> file_headers(int layout, Index file) const = 0;
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
  /// Rank 0, after define: removes what is replaced, writes what stands before the first step. May be called
  /// again after a failure.
  virtual Status create(bool durable) = 0;
  /// All ranks: layouts for the fields with present[field]. Local, pure.
  [[nodiscard]] virtual std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present) const = 0;
  /// Rank 0, when all bytes of the step are in place: makes it visible. `durable`: and safe on the device.
  virtual Status commit(Index step, double time, const std::vector<bool>& present, bool durable) = 0;
  /// Rank 0: takes back what a failed commit made visible, as far as it can; the first error of what it
  /// cannot.
  virtual Status rewind(Index num_steps) = 0;
  /// Files that are neither block files nor temporary.
  [[nodiscard]] virtual std::vector<std::string> metadata_paths() const = 0;
  /// Rank 0: releases the lock.
  virtual Status release() = 0;
  /// Path without extension, for files beside the dataset.
  [[nodiscard]] virtual std::string stem() const = 0;
};

}  // namespace esker
