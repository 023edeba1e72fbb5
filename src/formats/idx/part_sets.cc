#include "formats/idx/part_sets.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

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

namespace {

Result<PartSets::Sets> read_sets(Store& store, const std::string& path, std::uint64_t expected,
                                 const BlockGrid& grid, std::size_t num_columns) {
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
  auto sets = decode_block_sets(*bytes, grid, num_columns);
  if (!sets.ok()) return sets.status().with_context(path);
  return std::make_shared<const StepSets>(std::move(*sets));
}

/// Columns mostly have the same set.
Index memory_of(const StepSets& step) {
  std::set<const BlockSet*> sets;
  Index bytes = std::ssize(step.columns) * static_cast<Index>(sizeof(StoredColumn)) +
                std::ssize(step.patches) * static_cast<Index>(sizeof(MeshBox));
  for (const StoredColumn& column : step.columns) {
    if (column.blocks && sets.insert(column.blocks.get()).second) bytes += column.blocks->size_bytes();
  }
  return bytes;
}

}  // namespace

/// The entry of a file, which is the most recent one then.
std::shared_ptr<PartSets::Entry> PartSets::find(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  const auto known =
      std::find_if(recent_.begin(), recent_.end(), [&](const auto& entry) { return entry->path == path; });
  if (known != recent_.end()) {
    recent_.splice(recent_.begin(), recent_, known);
  } else {
    recent_.push_front(std::make_shared<Entry>());
    recent_.front()->path = path;
    drop_oldest();
  }
  return recent_.front();
}

/// Counts an entry that has been read.
void PartSets::count(Entry& entry) {
  const Index bytes = kEntryBytes + memory_of(*entry.sets);
  const std::scoped_lock lock(mutex_);
  entry.bytes = bytes;
  drop_oldest();
}

/// Drops the entries that were not used for the longest time. Other threads may still read them.
void PartSets::drop_oldest() {
  Index sum = 0;
  for (auto next = recent_.begin(); next != recent_.end();) {
    sum += (*next)->bytes;
    const bool drops = sum > most_bytes_ && next != recent_.begin();
    next = drops ? recent_.erase(next) : std::next(next);
  }
}

Result<PartSets::Sets> PartSets::load(Store& store, const std::string& path, std::uint64_t expected,
                                      const BlockGrid& grid, std::size_t num_columns) {
  const std::shared_ptr<Entry> entry = find(path);
  const std::scoped_lock lock(entry->reading);
  if (entry->sets) return entry->sets;
  ESKER_ASSIGN_OR_RETURN(entry->sets, read_sets(store, path, expected, grid, num_columns));
  count(*entry);
  return entry->sets;
}

}  // namespace esker::idx
