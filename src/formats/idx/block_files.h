// BlockFiles: finds blocks in the binary files of an .idx; keeps a few files open.
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

/// A block file with its table of entries; immutable once its step is committed.
struct BlockFile {
  std::unique_ptr<File> file;  ///< null: the file does not exist, all its blocks are absent
  std::vector<BlockEntry> entries;
  TableCheck table = TableCheck::kUnchecked;  ///< whether the entries are as they were written
  std::optional<FileIdentity> identity = {};  ///< file_identity(), if the file has one
  std::vector<std::byte> heads = {};          ///< of blocks of cells (cell_heads.h)

  /// Memory of the table and the heads.
  [[nodiscard]] Index cached_bytes() const {
    return std::ssize(entries) * static_cast<Index>(sizeof(BlockEntry)) + std::ssize(heads);
  }
};

/// Where and how one block is stored. Its bytes are in `file` at [offset, offset + size).
struct StoredBlock {
  bool absent = true;
  std::shared_ptr<const BlockFile> file;
  Index offset_bytes = 0, size_bytes = 0;
  InBlockOrder order = InBlockOrder::kRowMajor;
  CodecSpec codec;
  std::optional<std::uint64_t> checksum = {};  ///< block_checksum() of the bytes, if the file has one
  std::uint32_t flags = 0;                     ///< of the entry; covered by the checksum
  SumVersion sum_version = SumVersion::kBytesAndForm;
  std::optional<BlockErrors> errors = {};  ///< if the file has them
  std::span<const std::byte> head = {};    ///< of a block of cells (cell_heads.h), in `file`
};

class BlockFiles {
 public:
  /// `directory` is that of the .idx, with a trailing '/' unless empty. `stem` is the path of the .idx
  /// without its extension; ARCO files are stored under it. `header` must outlive this object. `checksums`:
  /// each file was written with a checksum of its table.
  BlockFiles(std::shared_ptr<Store> store, std::string directory, std::string stem, FilenameTemplate files,
             const Header& header, bool checksums);

  /// Finds a block at integer time `time`. Files are taken from the cache, or opened. Thread-safe. Errors:
  /// kDataLoss (a damaged table; with `checksums` also a modified table, or that of another step or dataset),
  /// kUnsupported (an unsupported codec), kIoError.
  Result<StoredBlock> find(int field, Index block, Index time);

  /// Path of the file that holds the block.
  [[nodiscard]] std::string path(int field, Index block, Index time) const;
  /// kDataLoss if the file of a block identifies itself as that of another step, or of other fields or
  /// blocks.
  [[nodiscard]] Status check_identity(const BlockFile& file, Index block, Index time) const;
  [[nodiscard]] Store& store() const { return *store_; }

  /// An existing block file.
  struct OnStorage {
    std::string path;
    int field = 0;          ///< ARCO: its field; else the file has all fields
    Index first_block = 0;  ///< ARCO: its only block
    Index time = 0;
  };
  /// Calls `visit` for the existing block files whose time is in `times` (ascending) and whose blocks exist
  /// in the grid. Lists directories: the cost depends on the number of existing names, not on the number that
  /// the header allows. Errors: kUnsupported (too many names), kIoError, those of `visit`.
  Status for_each_stored(const BlockGrid& blocks, std::span<const Index> times,
                         const std::function<Status(const OnStorage&)>& visit) const;

 private:
  Result<std::shared_ptr<const BlockFile>> open_cached(int field, Index block, Index time);
  Result<std::shared_ptr<const BlockFile>> open(const std::string& path) const;
  [[nodiscard]] Status check_as_written(const BlockFile& file, Index block, Index time) const;
  Result<std::span<const std::byte>> head_of(const BlockFile& file, int field, Index block,
                                             const BlockEntry& entry) const;
  Result<StoredBlock> find_arco(int field, std::shared_ptr<const BlockFile> file) const;

  std::shared_ptr<Store> store_;
  std::string directory_, stem_;
  FilenameTemplate files_;
  const Header& header_;
  bool checksums_;

  /// A file that is open, or is being opened by the thread that holds the slot's mutex.
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const BlockFile> file;  // changes with both mutexes held
  };
  std::shared_ptr<Slot> slot_of(const std::string& path);
  void limit_open_files();

  std::mutex mutex_;  // protects the rest; locked last, and briefly
  std::list<std::pair<std::string, std::shared_ptr<Slot>>> recent_;  // most recent first
  std::map<std::string, decltype(recent_)::iterator> cache_;
  Index cached_bytes_ = 0;  // sum over the files in recent_
};

}  // namespace esker::idx
