// StepLayouts: how a format stores the fields of a step in files.
//
// This is all that planning and writing know about a format: layouts that place samples, paths, headers, and
// the form of a piece in its file: its samples, converted in place, or compressed.
//
// A file with compressed pieces holds them one after the other, in file order, at multiples of
// kCompressedAlignment. Where each begins is known when those before it are compressed. Positions and sizes
// of the layout are then those of the samples, as everywhere before storing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "esker/types/status.hpp"
#include "layout/layout.h"
#include "layout/piece_head.h"
#include "layout/piece_record.h"

namespace esker {

/// Hints for collecting the samples of a step before storing; they do not change the bytes of files.
struct StepHints {
  Index step = 0;
  std::vector<int> dense_axes;  ///< [position in Schema::fields()] fastest in the patches' memory; empty: x
  WritePattern pattern = WritePattern::kContiguous;
  Index stripe_size_bytes = 0;  ///< with kStripes
  int stripe_writers = 1;       ///< number of writers that share the stripes

  [[nodiscard]] int dense_axis(std::size_t field) const { return dense_axes.empty() ? 0 : dense_axes[field]; }
};

/// The layouts of steps that hold a certain set of fields.
class StepLayouts {
 public:
  virtual ~StepLayouts() = default;

  /// Components of a field that are laid out as one field of a layout; usually all of them.
  struct Column {
    int field = 0;            ///< position in Schema::fields()
    int first_component = 0;  ///< of the field
    int layout = 0;           ///< index in layouts
    int layout_field = 0;     ///< position in that layout's list of fields
    /// Not 0: the layout's samples are cells of the grid (grid/cells.h), coded with that many bits per
    /// sample.
    int stored_bits = 0;
  };
  std::vector<std::shared_ptr<const Layout>> layouts;
  std::vector<Column> columns;  ///< of the fields in the set

  /// Path of a file of a layout at a step.
  [[nodiscard]] virtual std::string file_path(int layout, Index file, Index step) const = 0;
  /// Whether the layout shares one file with other such layouts and all steps. What a failed step has written
  /// stays there, after the committed part; only commit() completes the file.
  [[nodiscard]] virtual bool shares_files(int /*layout*/) const { return false; }
  /// The number of that file, if it does. Layouts of one file follow each other, and files have ascending
  /// numbers.
  [[nodiscard]] virtual int shared_file(int /*layout*/) const { return 0; }
  /// Whether layouts hold boxes of the grids, one for each partition of the grid, so that the partitions need
  /// no other division of the ranks.
  [[nodiscard]] virtual bool are_of_partitions() const { return false; }
  /// Whether any layout shares files, and the number of files of a step; a shared one counts once.
  [[nodiscard]] bool shares_a_file() const {
    for (std::size_t n = 0; n < layouts.size(); ++n) {
      if (shares_files(static_cast<int>(n))) return true;
    }
    return false;
  }
  [[nodiscard]] Index num_files() const {
    Index files = 0;
    int last_shared = -1;
    for (std::size_t n = 0; n < layouts.size(); ++n) {
      const int layout = static_cast<int>(n);
      if (!shares_files(layout)) {
        files += layouts[n]->num_files();
      } else if (shared_file(layout) != last_shared) {
        last_shared = shared_file(layout);
        ++files;
      }
    }
    return files;
  }
  /// Memory of lists that follow the patches of the step, which counts in the budget.
  [[nodiscard]] virtual Index list_bytes() const { return 0; }
  /// Whether a step other than the one that was laid out can be written with these layouts.
  [[nodiscard]] virtual bool fits(Index /*step*/) const { return true; }
  /// The amount that a step adds to the layout's offsets in its files.
  [[nodiscard]] virtual Index step_offset_bytes(int /*layout*/, Index /*step*/) const { return 0; }
  /// Whether rank 0 allocates the file offsets of a step's pieces. If so, FormatWriter::prepare() is called
  /// before file_path() and step_offset_bytes(), and its result is given to take_places() on all ranks.
  [[nodiscard]] virtual bool needs_places() const { return false; }
  /// Local, pure.
  virtual Status take_places(const std::string& /*places*/) { return {}; }
  /// Converts a piece's samples from their form in memory to the stored form. In place, before checksum().
  virtual void encode(int /*layout*/, const Piece& /*piece*/, std::span<std::byte> /*bytes*/) const {}
  /// Whether encode() does anything.
  [[nodiscard]] virtual bool has_encoding() const { return false; }
  /// Memory of this object that encode() needs.
  [[nodiscard]] virtual Index encode_scratch_bytes() const { return 0; }
  /// Whether the pieces of a layout have heads, and whether those of any layout have. Their errors are known
  /// to the ranks that code the samples, see PieceHead.
  [[nodiscard]] virtual bool has_heads(int /*layout*/) const { return false; }
  [[nodiscard]] bool has_heads() const {
    for (std::size_t n = 0; n < layouts.size(); ++n) {
      if (has_heads(static_cast<int>(n))) return true;
    }
    return false;
  }
  /// Adds the checksums of a piece, after encode(), to its head.
  virtual void add_sums(int /*layout*/, const Piece& /*piece*/, std::span<const std::byte> /*stored*/,
                        PieceHead& /*head*/) const {}
  /// Whether the pieces of a layout are compressed, and whether those of any layout are.
  [[nodiscard]] virtual bool compresses(int /*layout*/) const { return false; }
  [[nodiscard]] bool compresses() const {
    for (std::size_t n = 0; n < layouts.size(); ++n) {
      if (compresses(static_cast<int>(n))) return true;
    }
    return false;
  }
  /// Whether the compressed pieces of a layout follow, in the shared file, those of the other such layouts.
  /// Only commit() learns their places: rank 0 needs their records.
  [[nodiscard]] bool joins(int layout) const { return shares_files(layout) && compresses(layout); }
  /// The number of that file; -1 if it does not join.
  [[nodiscard]] int joined_file(int layout) const { return joins(layout) ? shared_file(layout) : -1; }
  /// Memory that compress() needs, per thread.
  [[nodiscard]] virtual Index compress_scratch_bytes() const { return 0; }
  /// The room for the compressed form of a piece, within its distance to the next one. Usually the size of
  /// its samples: where compression does not help, the samples are stored as they are. More where they cannot
  /// be.
  [[nodiscard]] virtual Index compressed_room(int /*layout*/, const Piece& piece) const {
    return piece.size_bytes;
  }
  /// Compresses a piece to `stored`, which has compressed_room() bytes. Sets the record, except for offset
  /// and checksum. Where compression does not help, the record has the size of the samples, which are then
  /// stored as they are if that is the room. Thread-safe. Allocates nothing but what the codecs do.
  virtual Status compress(int /*layout*/, const Piece& /*piece*/, std::span<const std::byte> /*samples*/,
                          std::span<std::byte> /*stored*/, std::span<std::byte> /*scratch*/,
                          PieceRecord& /*record*/) const {
    return {};
  }
  /// The form (PieceRecord::form) of a piece that is stored raw without being compressed. Nothing: the pieces
  /// of its field are always compressed. Otherwise one that did not shrink in the last two steps is tried in
  /// few steps only (write/raw_pieces.h).
  [[nodiscard]] virtual std::optional<std::uint32_t> raw_form(int /*layout*/, const Piece& /*piece*/) const {
    return {};
  }
  /// The bytes at the beginning of a committed file that say which of its pieces are raw; 0 if no piece of
  /// the layout has a raw_form().
  [[nodiscard]] virtual Index raw_headers_bytes(int /*layout*/) const { return 0; }
  /// Calls visit for those of `pieces`, in one file, that have a raw_form() and that these bytes of the file
  /// say are raw. Errors: kDataLoss. Local, pure.
  virtual Status find_raw(int /*layout*/, const Layout::Run& /*pieces*/,
                          std::span<const std::byte> /*headers*/, const Layout::VisitPiece& /*visit*/) const {
    return {};
  }
  /// Whether file_headers() needs the checksums in records.
  [[nodiscard]] virtual bool has_checksums() const { return false; }
  /// Whether it needs records.
  [[nodiscard]] bool has_records() const { return has_checksums() || compresses(); }
  /// Checksum of a piece as stored. `form`: PieceRecord::form; 0 if the layout does not compress.
  [[nodiscard]] virtual std::uint64_t checksum(int /*layout*/, const Piece& /*piece*/, std::uint32_t /*form*/,
                                               std::span<const std::byte> /*stored*/) const {
    return 0;
  }
  /// Whether commit() needs the checksums of the parts of a layout's pieces (StoredStep::part_sums), and
  /// whether it needs those of any layout. Such parts are contiguous, and each is of one patch.
  [[nodiscard]] virtual bool sums_parts(int /*layout*/) const { return false; }
  [[nodiscard]] bool sums_parts() const {
    for (std::size_t n = 0; n < layouts.size(); ++n) {
      if (sums_parts(static_cast<int>(n))) return true;
    }
    return false;
  }
  /// The headers at the beginning of that file, before its data, unless it is shared. `records`: of its
  /// pieces, in file order; empty without has_records(). `heads`: likewise, empty without has_heads(layout).
  [[nodiscard]] virtual std::vector<std::byte> file_headers(int /*layout*/, Index /*file*/, Index /*step*/,
                                                            std::span<const PieceRecord> /*records*/,
                                                            std::span<const PieceHead> /*heads*/) const {
    return {};
  }
  /// What follows the data of that file, unless it is shared. `records`: as of file_headers(); those of a
  /// layout that has neither checksums nor compression are not set.
  [[nodiscard]] virtual std::vector<std::byte> file_end(int /*layout*/, Index /*file*/,
                                                        std::span<const PieceRecord> /*records*/) const {
    return {};
  }
};

}  // namespace esker
