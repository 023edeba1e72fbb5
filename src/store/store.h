// Store: the only access to files. Paths and bytes; it knows nothing of grids, blocks or formats.
//
//   auto store = posix_store();
//   ESKER_ASSIGN_OR_RETURN(auto file, store->open("run/0000.bin", OpenMode::kWrite));
//   ESKER_RETURN_IF_ERROR(file->write_at(bytes, offset));
//
// All calls are local and thread-safe. A File is used by one thread at a time, except read_at, which any
// number of threads may call. Errors name path, operation and the system's reason.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"
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
  /// Fills `bytes` from `offset`; kDataLoss if the file ends too early.
  virtual Status read_at(std::span<std::byte> bytes, Index offset) const = 0;
  [[nodiscard]] virtual Result<Index> size_bytes() const = 0;
  /// Gaps smaller than this are read through rather than skipped.
  [[nodiscard]] virtual Index cheap_gap_bytes() const { return Index{16} << 10; }
  /// Extends the file to at least this length; added bytes read as zeros.
  virtual Status extend_to(Index size_bytes) = 0;
  /// Truncates the file to at most this length.
  virtual Status shrink_to(Index size_bytes) = 0;
  /// Returns when all written bytes are on the device.
  virtual Status sync() = 0;
  /// Reports late write errors. The destructor closes, too, but cannot report errors.
  virtual Status close() = 0;
};

class Store {
 public:
  virtual ~Store() = default;
  virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) = 0;
  /// Creates a file with this content; kAlreadyExists if it exists. Atomic among processes. A process that
  /// dies in this call may leave a file `path`.*.new, which any process that has created `path` may remove.
  virtual Status create_exclusive(const std::string& path, const std::string& text) = 0;
  virtual Status make_directories(const std::string& path) = 0;
  /// Replaces `to` if it exists. Atomic.
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  /// Also succeeds if the file does not exist.
  virtual Status remove(const std::string& path) = 0;
  /// Removes a directory and its contents; also succeeds if it does not exist.
  virtual Status remove_all(const std::string& path) = 0;
  /// Makes the names in a directory durable.
  virtual Status sync_directory(const std::string& path) = 0;
  [[nodiscard]] virtual Result<bool> exists(const std::string& path) const = 0;
  /// False also if the path does not exist. Follows symbolic links.
  [[nodiscard]] virtual Result<bool> is_directory(const std::string& path) const = 0;
  /// The target of a symbolic link, resolved once; the path itself if it is not a link.
  [[nodiscard]] virtual Result<std::string> follow_link(const std::string& path) const { return path; }
  /// Whether the path itself is a symbolic link, also a dangling one; false if the store has no links.
  [[nodiscard]] virtual Result<bool> is_link(const std::string& /*path*/) const { return false; }
  /// Bytes that can still be written below `path`, or below its nearest existing parent directory.
  [[nodiscard]] virtual Result<Index> free_bytes(const std::string& path) const = 0;
  /// How files below `path` are striped; unknown if the file system does not report it.
  [[nodiscard]] virtual Striping striping(const std::string& /*path*/) const { return {}; }
  /// Whether a read costs only a system call of this machine, whose system also caches the data.
  [[nodiscard]] virtual bool is_local() const { return true; }
  /// Identifies the current boot of the machine, whose memory holds what was written and not synced; empty:
  /// unknown.
  [[nodiscard]] virtual std::string boot() const { return {}; }
  /// The hints in effect for files that this store opened for writing, as its library reports them; usually
  /// none.
  [[nodiscard]] virtual std::map<std::string, std::string> effective_hints() const { return {}; }
  /// Names (not paths) in a directory, sorted; empty if the directory does not exist.
  [[nodiscard]] virtual Result<std::vector<std::string>> list(const std::string& path) const = 0;
};

/// The file system of this machine.
std::shared_ptr<Store> posix_store();

/// A temporary file without a name on the file system of this machine that holds `directory`. It disappears
/// with the process, however that ends.
Result<std::unique_ptr<File>> open_unnamed(const std::string& directory);

/// Files in memory that vanish with the last handle, for tests and for measurements without a device.
std::shared_ptr<Store> memory_store();

/// Keeps only the names, sizes and first 64 KiB of files; the rest reads as zeros. Measures the cost of
/// everything except the device.
std::shared_ptr<Store> null_store();

/// The file or directory that a chain of symbolic links leads to; it need not exist. kIoError: too many
/// links.
Result<std::string> end_of_links(const Store& store, const std::string& path);

/// The complete file as text; kDataLoss if it is larger than `max_bytes`.
Result<std::string> read_text(Store& store, const std::string& path, std::size_t max_bytes);

/// The first bytes of a file, fewer than `n_bytes` if it is shorter; empty if there is no file.
Result<std::string> read_begin(Store& store, const std::string& path, Index n_bytes);

}  // namespace esker
