// BlockFiles: finds blocks in the binary files of an .idx, keeping a few files open.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "format/idx/entries.h"
#include "format/idx/filename_template.h"
#include "format/idx/header.h"
#include "store/store.h"

namespace esker::idx {

/// A block file with its table of entries; nothing of it changes once its step is committed.
struct BlockFile {
  std::unique_ptr<File> file;  ///< null: there is no such file, all its blocks are absent
  std::vector<BlockEntry> entries;
};

class BlockFiles {
 public:
  /// `directory` is that of the .idx, with '/' behind it unless empty.
  BlockFiles(std::shared_ptr<Store> store, std::string directory, FilenameTemplate files,
             Index blocks_per_file, int num_fields);

  /// The file that holds `block` at integer time `time`. From the cache, or opened. Safe from several
  /// threads.
  Result<std::shared_ptr<const BlockFile>> find(Index block, Index time);
  [[nodiscard]] BlockEntry entry(const BlockFile& file, int field, Index block) const;

  [[nodiscard]] std::string path(Index block, Index time) const;
  [[nodiscard]] Index blocks_per_file() const { return blocks_per_file_; }
  [[nodiscard]] Store& store() const { return *store_; }

 private:
  Result<std::shared_ptr<const BlockFile>> open(const std::string& path) const;

  std::shared_ptr<Store> store_;
  std::string directory_;
  FilenameTemplate files_;
  Index blocks_per_file_;
  int num_fields_;

  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const BlockFile>>> recent_;  // most recent first
  std::map<std::string, decltype(recent_)::iterator> cache_;
};

}  // namespace esker::idx
