// The registry of formats: what Esker knows about a format outside the folder of that format.
//
// built_in.cc lists the formats of the library. A program adds its own with register_format().
// docs/internals/adding-a-format.md shows how to write one.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "esker/types/options.hpp"
#include "format/format_writer.h"
#include "read/opened_dataset.h"
#include "store/lock.h"
#include "store/store.h"

namespace esker {

class StagedWriter;

/// Where a writer writes.
struct WriterTarget {
  std::shared_ptr<Store> store;
  std::string stem;                  ///< the common stem of the dataset's files: the path without its suffix
  std::string suffix;                ///< one of FormatEntry::suffixes
  std::string format;                ///< one of FormatEntry::names
  const Options& options;            ///< valid during the call
  std::shared_ptr<WriterLock> lock;  ///< not yet acquired; protects all files with this stem
};

/// A format. All functions are local.
struct FormatEntry {
  std::vector<std::string>
      names;          ///< values of the option `format`; the first one names files that are found
  std::string help;   ///< the names as the description of the option lists them
  std::string title;  ///< for messages: "netCDF files"
  std::vector<std::string> suffixes;  ///< of paths; a path without suffix gets the first one
  /// At most 8 bytes with which the file at a dataset's path begins, for example its header. No magic bytes
  /// begin with those of another format. Empty for IDX, and with `indexes`.
  std::string magic;
  /// Makes a writer. Accesses no files. kUnsupported: the library lacks what the format needs.
  Result<std::unique_ptr<FormatWriter>> (*make_writer)(const WriterTarget& target) = nullptr;
  /// Opens a dataset whose file begins with `magic`. Errors: kDataLoss, kIoError, kUnsupported.
  Result<std::unique_ptr<OpenedDataset>> (*open)(const std::shared_ptr<Store>& store,
                                                 const std::string& path) = nullptr;
  /// Makes the first of two writers of one dataset (dual_writer.h); null: not possible in this format.
  Result<std::unique_ptr<StagedWriter>> (*make_first_of_two)(const WriterTarget& target) = nullptr;
  /// Whether verify() proves by checksums that all steps are complete.
  bool has_checksums = false;
  /// If datasets are directories: each has a file with one of these names. The first is that of writers. Such
  /// a format has no magic bytes.
  std::vector<std::string> indexes = {};
  /// The formats that the second writer can have if the first has this one.
  std::vector<std::string> seconds = {"idx"};
  /// Makes the second of two writers, whose first has the suffix `target.suffix`; null: not possible.
  Result<std::unique_ptr<FormatWriter>> (*make_second_of_two)(const WriterTarget& target) = nullptr;
};

inline constexpr Index kMaxMagicBytes = 8;

/// All formats: IDX, the other ones of the library, then the registered ones. References stay valid.
const std::deque<FormatEntry>& formats();

/// Adds a format. Call it before other functions of Esker: it is not thread-safe. All ranks of a program
/// register the same formats in the same order. Errors: kInvalidArgument (an entry without name, suffix,
/// magic bytes or function), kAlreadyExists (a name or magic bytes of another format).
Status register_format(FormatEntry entry);

/// The format with this name; null if there is none.
const FormatEntry* find_format(std::string_view name);
/// The format whose magic bytes `begin` starts with; null if there is none.
const FormatEntry* format_of_magic(std::string_view begin);
/// The same for the file or directory at `path`; null also if there is none.
Result<const FormatEntry*> format_of_file(Store& store, const std::string& path);

}  // namespace esker
