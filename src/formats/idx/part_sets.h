// PartSets: the block sets of the sparse steps of an .idx, read when they are needed.
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
  using Columns = std::shared_ptr<const std::vector<StoredColumn>>;

  /// The file of a step. `expected`: its checksum in the commit record. Thread-safe. Errors: kDataLoss:
  /// missing, or not the file that was committed; kIoError.
  Result<Columns> load(Store& store, const std::string& path, std::uint64_t expected, const BlockGrid& grid,
                       std::size_t num_columns);

 private:
  static constexpr std::size_t kMostKept = 16;

  std::mutex mutex_;
  std::list<std::pair<std::string, Columns>> recent_;  // by path, most recent first
};

/// Reads a file of block sets. Errors: kNotFound, kDataLoss, kIoError.
Result<std::vector<std::byte>> read_block_sets(Store& store, const std::string& path);

}  // namespace esker::idx
