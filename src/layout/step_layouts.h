// StepLayouts: how the fields of a step are laid out in files, as a format says it.
//
// Planning and writing know a format by this alone: layouts that place samples, paths, headers, and what is
// done to the bytes of a piece before they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "esker/options.hpp"
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

}  // namespace esker
