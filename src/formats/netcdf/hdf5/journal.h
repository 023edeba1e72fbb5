// Crash-safe changes of a file: the complete change is first written to a journal next to the file, then to
// the file. docs/formats/netcdf4.md, section 3.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "formats/netcdf/hdf5/overlay.h"
#include "store/store.h"

namespace esker::hdf5 {

std::string journal_of(const std::string& path);

/// The magic bytes of a file, which tell to which file a journal belongs: the superblock of an HDF5 file,
/// with its end-of-file address and a checksum.
inline constexpr Index kSuperblockBytes = 48;
Result<std::string> superblock_of(const File& file);
/// The magic bytes after a change.
std::string superblock_after(const std::string& superblock, const Change& change);

struct Journal {
  std::string superblock_before, superblock_after;  ///< kSuperblockBytes each
  Change change;
};
std::string print_journal(const Journal& journal);
/// Nothing if it is torn, or is not a journal.
std::optional<Journal> parse_journal(std::span<const std::byte> bytes);

/// Changes the file at `path`. After a failure the file may be incomplete; if a journal exists it holds
/// everything that is missing, and recover() or another change_file() completes the change.
Status change_file(Store& store, const std::string& path, const Change& change, bool durable);

/// Whether a change_file() that failed may have changed the file, whose magic bytes before and after the
/// change are given. If not, there is nothing to undo, and undoing may lack room on a full disk.
Result<bool> may_be_changed(Store& store, const std::string& path, const std::string& superblock_before,
                            const std::string& superblock_after);

/// The contents of the journal of `path`, if it exists and is complete. kDataLoss: it belongs to another
/// file.
Result<std::optional<Journal>> read_journal(Store& store, const std::string& path);

/// The file with the change of the journal, if there is one, applied. `file` must outlive the result.
Result<Overlay> overlay_of(const File& file, const std::optional<Journal>& journal);

/// Completes an interrupted change_file(): applies a complete journal. Removes a torn journal, and one whose
/// file no longer exists.
Status recover(Store& store, const std::string& path, bool durable);

}  // namespace esker::hdf5
