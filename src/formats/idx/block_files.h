// BlockFiles: finds blocks in the binary files of an .idx, keeping a few files open.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "codec/codec.h"
#include "formats/idx/entries.h"
#include "formats/idx/filename_template.h"
#include "formats/idx/header.h"
#include "grid/blocks.h"
#include "store/store.h"

namespace esker::idx {

/// A block file with its table of entries; nothing of it changes once its step is committed.
struct BlockFile {
  std::unique_ptr<File> file;  ///< null: there is no such file, all its blocks are absent
  std::vector<BlockEntry> entries;
  TableCheck table = TableCheck::kUnchecked;   ///< whether the entries are as they were written
  std::optional<FileIdentity> identity = {};   ///< file_identity(), if the file says it
};

/// Where and how one block is stored. The bytes are in `file` at [offset, offset + size).
struct StoredBlock {
  bool absent = true;
  std::shared_ptr<const BlockFile> file;
  Index offset_bytes = 0, size_bytes = 0;
  InBlockOrder order = InBlockOrder::kRowMajor;
  CodecSpec codec;
  std::optional<std::uint64_t> checksum = {};  ///< block_checksum() of the bytes, if the file has one
  std::uint32_t flags = 0;                     ///< of the entry, and what the checksum covers
  SumVersion sum_version = SumVersion::kBytesAndForm;
};

class BlockFiles {
 public:
  /// `directory` is that of the .idx, with '/' behind it unless empty; `stem` the path of the .idx without
  /// its extension, which ARCO files stand under. `header` outlives this. `checksums`: each file was written
  /// with a checksum of its table.
  BlockFiles(std::shared_ptr<Store> store, std::string directory, std::string stem, FilenameTemplate files,
             const Header& header, bool checksums);

  /// Finds a block at integer time `time`. Files come from the cache, or are opened. Safe from several
  /// threads. Errors: kDataLoss (a damaged table; with `checksums` also one that is not as it was written, or
  /// that of another step or dataset), kUnsupported (a codec that is not read), kIoError.
  Result<StoredBlock> find(int field, Index block, Index time);

  /// Path of the file that holds the block.
  [[nodiscard]] std::string path(int field, Index block, Index time) const;
  /// kDataLoss if the file of a block says that it is that of another step, or of other fields or blocks.
  [[nodiscard]] Status check_identity(const BlockFile& file, Index block, Index time) const;
  [[nodiscard]] Store& store() const { return *store_; }

  /// A block file that is on storage.
  struct OnStorage {
    std::string path;
    int field = 0;          ///< ARCO: whose it is; else all fields are in it
    Index first_block = 0;  ///< ARCO: the only one
    Index time = 0;
  };
  /// Calls `visit` for the block files that are on storage, whose time is in `times` (ascending) and that are
  /// for existing blocks. Lists directories: the cost is that of the names that are there, not of
  /// those that the header allows. Errors: kUnsupported (too many names), kIoError, those of `visit`.
  Status for_each_stored(const BlockGrid& blocks, std::span<const Index> times,
                         const std::function<Status(const OnStorage&)>& visit) const;

 private:
  Result<std::shared_ptr<const BlockFile>> open_cached(int field, Index block, Index time);
  Result<std::shared_ptr<const BlockFile>> open(const std::string& path) const;
  [[nodiscard]] Status check_as_written(const BlockFile& file, Index block, Index time) const;
  Result<StoredBlock> find_arco(int field, std::shared_ptr<const BlockFile> file) const;

  std::shared_ptr<Store> store_;
  std::string directory_, stem_;
  FilenameTemplate files_;
  const Header& header_;
  bool checksums_;

  /// A file that is open, or being opened by the thread that has the slot's mutex.
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const BlockFile> file;  // changes with both mutexes held
  };
  std::shared_ptr<Slot> slot_of(const std::string& path);
  void limit_open_files();

  std::mutex mutex_;  // of the rest; taken last, and never for long
  std::list<std::pair<std::string, std::shared_ptr<Slot>>> recent_;  // most recent first
  std::map<std::string, decltype(recent_)::iterator> cache_;
  std::size_t cached_entries_ = 0;  // of all files in recent_
};

}  // namespace esker::idx
