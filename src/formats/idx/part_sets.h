// PartSets: the block sets of the sparse steps of an .idx, read when they are needed. The last ones are kept.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "esker/types/status.hpp"
#include "formats/idx/block_set_file.h"
#include "formats/idx/commit_record.h"
#include "store/store.h"

namespace esker::idx {

class PartSets {
 public:
  using Sets = std::shared_ptr<const StepSets>;

  /// `most_bytes`: of memory for sets that are kept, except for the last one.
  explicit PartSets(Index most_bytes = Index{32} << 20) : most_bytes_(most_bytes) {}

  /// The file of a step. `expected`: its checksum in the commit record. Thread-safe: threads that need the
  /// same file wait for one of them to read it. Errors: kDataLoss: missing, or not the file that was
  /// committed; kIoError.
  Result<Sets> load(Store& store, const std::string& path, std::uint64_t expected, const BlockGrid& grid,
                    std::size_t num_columns);

 private:
  struct Entry {
    std::string path;
    std::mutex reading;
    Sets sets;  // null: not read, or with an error
    Index bytes = kEntryBytes;
  };
  static constexpr Index kEntryBytes = 1 << 14;  // counted for an entry without sets; bounds their number
  std::shared_ptr<Entry> find(const std::string& path);
  void count(Entry& entry);
  void drop_oldest();

  const Index most_bytes_;
  std::mutex mutex_;                          // of recent_, and of Entry::bytes
  std::list<std::shared_ptr<Entry>> recent_;  // most recent first
};

/// Reads a file of block sets. Errors: kNotFound, kDataLoss, kIoError.
Result<std::vector<std::byte>> read_block_sets(Store& store, const std::string& path);

}  // namespace esker::idx
