// A change of a file that a crash cannot tear: first the change whole in a journal beside the file, then the
// file. docs/formats/netcdf4.md, section 3.
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

/// The first bytes of a file, which tell whose journal one is: an HDF5 file's superblock, with the place of
/// its end and a checksum.
inline constexpr Index kMarkBytes = 48;
Result<std::string> mark_of(const File& file);
/// The same with a change on top.
std::string mark_after(const std::string& mark, const Change& change);

struct Journal {
  std::string mark_before, mark_after;  ///< kMarkBytes each
  Change change;
};
std::string print_journal(const Journal& journal);
/// Nothing: it is torn, or no journal.
std::optional<Journal> parse_journal(std::span<const std::byte> bytes);

/// Changes the file at `path`. When this fails the file may be whole or not; a journal that is there has all
/// that is missing, and recover() or another change_file() goes on with it.
Status change_file(Store& store, const std::string& path, const Change& change, bool durable);

/// Whether a change_file() that failed may have touched the file; its marks without and with the change. If
/// not, there is nothing to be taken back, for which a full disk may lack the room.
Result<bool> may_be_changed(Store& store, const std::string& path, const std::string& mark_before,
                            const std::string& mark_after);

/// What the journal of `path` says, if there is one and it is whole. kDataLoss: it is another file's.
Result<std::optional<Journal>> read_journal(Store& store, const std::string& path);

/// Carries out what a change_file() that was cut short has left: a whole journal; a torn one, and one whose
/// file is gone, is removed.
Status recover(Store& store, const std::string& path, bool durable);

}  // namespace esker::hdf5
