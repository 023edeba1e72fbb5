// Store: the one door to files. Paths and bytes; nothing here knows of grids, blocks or formats.
//
//   auto store = posix_store();
//   ESKER_ASSIGN_OR_RETURN(auto file, store->open("run/0000.bin", OpenMode::kWrite));
//   ESKER_RETURN_IF_ERROR(file->write_at(bytes, offset));
//
// All calls are local and safe from several threads; a File is used by one thread at a time, except
// read_at, which any number may call. Errors name path, operation and the system's reason.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "esker/box.hpp"
#include "esker/status.hpp"
#include "store/striping.h"

namespace esker {

enum class OpenMode {
  kRead,   ///< must exist
  kWrite,  ///< read and write; created if missing (its directories, too), never truncated
};

class File {
 public:
  virtual ~File() = default;
  /// Writes all of `bytes` at `offset`, extending the file if needed. Short writes are continued.
  virtual Status write_at(std::span<const std::byte> bytes, Index offset) = 0;
  /// Fills `bytes` from `offset`; kDataLoss if the file ends before.
  virtual Status read_at(std::span<std::byte> bytes, Index offset) const = 0;
  [[nodiscard]] virtual Result<Index> size_bytes() const = 0;
  /// What lies this close together is read at once sooner than apart.
  [[nodiscard]] virtual Index cheap_gap_bytes() const { return Index{16} << 10; }
  /// Makes the file at least so long; what is added reads as zeros.
  virtual Status extend_to(Index size_bytes) = 0;
  /// Makes the file no longer than so long; what is cut off is lost.
  virtual Status shrink_to(Index size_bytes) = 0;
  /// Returns when what was written is on the device.
  virtual Status sync() = 0;
  /// Reports what a late write error left. The destructor closes, too, but cannot report.
  virtual Status close() = 0;
};

class Store {
 public:
  virtual ~Store() = default;
  virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) = 0;
  /// Makes a new file with this content; kAlreadyExists when there is one. Atomic among processes. A process
  /// that dies in it may leave a file `path`.*.new, which anybody who has made `path` may remove.
  virtual Status create_exclusive(const std::string& path, const std::string& text) = 0;
  virtual Status make_directories(const std::string& path) = 0;
  /// Replaces `to` if it exists. Atomic.
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  /// Success also when there is no such file.
  virtual Status remove(const std::string& path) = 0;
  /// Removes a directory and all in it; success also when there is none.
  virtual Status remove_all(const std::string& path) = 0;
  /// Makes the names in a directory durable.
  virtual Status sync_directory(const std::string& path) = 0;
  [[nodiscard]] virtual Result<bool> exists(const std::string& path) const = 0;
  /// False also when there is nothing. Follows symbolic links.
  [[nodiscard]] virtual Result<bool> is_directory(const std::string& path) const = 0;
  /// Where a symbolic link leads, one link further; the path itself if it is none.
  [[nodiscard]] virtual Result<std::string> follow_link(const std::string& path) const { return path; }
  /// Whether the path itself is a symbolic link, to whatever; false where the store has none.
  [[nodiscard]] virtual Result<bool> is_link(const std::string& /*path*/) const { return false; }
  /// Bytes that can still be written below `path`, the nearest directory above it that exists counting.
  [[nodiscard]] virtual Result<Index> free_bytes(const std::string& path) const = 0;
  /// How files below `path` are laid over targets; nothing known where the file system does not tell.
  [[nodiscard]] virtual Striping striping(const std::string& /*path*/) const { return {}; }
  /// Whether reading costs a call of this machine's system and no more, which also keeps what was read.
  [[nodiscard]] virtual bool is_local() const { return true; }
  /// Names this start of the machine, in whose memory is what was written and not synced; empty: not known.
  [[nodiscard]] virtual std::string boot() const { return {}; }
  /// What steers the writing of files that were opened by this, as their library has it; none for most.
  [[nodiscard]] virtual std::map<std::string, std::string> effective_hints() const { return {}; }
  /// Names (not paths) in a directory, sorted; empty when there is no such directory.
  [[nodiscard]] virtual Result<std::vector<std::string>> list(const std::string& path) const = 0;
};

/// The file system of this machine.
std::shared_ptr<Store> posix_store();

/// Files in memory, gone with the last handle: for tests and measurements without a device.
std::shared_ptr<Store> memory_store();

/// Files of which only names, sizes and the first 64 KiB are kept, the rest reading as zeros: the cost of
/// everything but the device.
std::shared_ptr<Store> null_store();

/// The whole file as text; kDataLoss beyond `max_bytes`.
Result<std::string> read_text(Store& store, const std::string& path, std::size_t max_bytes);

/// The first bytes of a file, fewer than `n_bytes` if it is shorter; empty where there is no file.
Result<std::string> read_begin(Store& store, const std::string& path, Index n_bytes);

}  // namespace esker
