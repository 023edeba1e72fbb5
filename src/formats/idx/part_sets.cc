#include "formats/idx/part_sets.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"

namespace esker::idx {

Result<std::vector<std::byte>> read_block_sets(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kRead));
  ESKER_ASSIGN_OR_RETURN(const Index size, file->size_bytes());
  if (size > static_cast<Index>(kMaxBlockSetsBytes)) {
    return error(Code::kDataLoss, "{}: expected at most {} bytes, found {}", path, kMaxBlockSetsBytes, size);
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  ESKER_RETURN_IF_ERROR(file->read_at(bytes, 0));
  return bytes;
}

Result<PartSets::Columns> PartSets::load(Store& store, const std::string& path, std::uint64_t expected,
                                         const BlockGrid& grid, std::size_t num_columns) {
  const std::scoped_lock lock(mutex_);
  const auto known =
      std::find_if(recent_.begin(), recent_.end(), [&](const auto& entry) { return entry.first == path; });
  if (known != recent_.end()) {
    recent_.splice(recent_.begin(), recent_, known);
    return recent_.front().second;
  }
  const auto bytes = read_block_sets(store, path);
  if (bytes.status().code() == Code::kNotFound) {
    return error(Code::kDataLoss,
                 "{}: missing; it says which blocks the step holds, and belongs to the dataset: copy it too",
                 path);
  }
  ESKER_RETURN_IF_ERROR(bytes.status());
  if (block_sets_sum(*bytes) != expected) {
    return error(Code::kDataLoss, "{}: differs from the file that was committed with the step: damaged",
                 path);
  }
  auto columns = decode_block_sets(*bytes, grid, num_columns);
  if (!columns.ok()) return columns.status().with_context(path);
  recent_.emplace_front(path, std::make_shared<const std::vector<StoredColumn>>(std::move(*columns)));
  if (recent_.size() > kMostKept) recent_.pop_back();
  return recent_.front().second;
}

}  // namespace esker::idx
