#include "formats/idx/step_check.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"

namespace esker::idx {

Result<std::vector<std::string>> StepCheck::run(Index time) {
  std::vector<std::string> absent;
  const auto& fields = part_.header().fields;
  largest_errors_.assign(fields.size(), 0);
  ESKER_RETURN_IF_ERROR(load_sets(time));
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const BlockSet* expected = sets_sum_ ? sets_.columns[f].blocks.get() : &all_;
    if (!expected) {
      absent.push_back(fields[f].name);
      continue;
    }
    auto held = count_blocks(static_cast<int>(f), time, *expected);
    if (!held.ok()) return held.status().with_context("field '" + fields[f].name + "'");
    if (*held == 0 && !sets_sum_) absent.push_back(fields[f].name);
    if (ours_ && *held != 0 && *held != expected->size()) {
      return error(Code::kDataLoss, "field '{}': {} of {} blocks are stored", fields[f].name, *held,
                   expected->size());
    }
  }
  return absent;
}

/// A step without the file is dense.
Status StepCheck::load_sets(Index time) {
  sets_ = {};
  sets_sum_.reset();
  if (!ours_) return {};
  const std::string path = part_.block_sets_path_at(time);
  const auto bytes = read_block_sets(part_.files().store(), path);
  if (bytes.status().code() == Code::kNotFound) return {};
  ESKER_RETURN_IF_ERROR(bytes.status());
  auto sets = decode_block_sets(*bytes, part_.blocks(), part_.header().fields.size());
  if (!sets.ok()) return sets.status().with_context(path);
  sets_ = std::move(*sets);
  sets_sum_ = block_sets_sum(*bytes);
  return {};
}

Result<Index> StepCheck::count_blocks(int field, Index time, const BlockSet& expected) {
  Index held = 0;
  for (Index n = 0; n < expected.size(); ++n) {
    const Index block = expected.nth(n);
    auto stored = part_.files().find(field, block, time);
    Status whole = stored.status();
    if (whole.ok() && stored->file && stored->file != checked_) {
      whole = check_file(*stored->file, block, time);
      checked_ = stored->file;
    }
    if (whole.ok() && !stored->absent) whole = part_.load_block({field, time, block}, *stored).status();
    // A set can name any number of blocks.
    if (whole.ok() && stored->absent && sets_sum_) {
      whole = error(Code::kDataLoss, "block {} is missing, which is in the step's set of blocks", block);
    }
    if (!whole.ok()) return whole.with_context(part_.files().path(field, block, time));
    held += stored->absent ? 0 : 1;
    double& largest = largest_errors_[static_cast<std::size_t>(field)];
    if (stored->errors) largest = std::max(largest, static_cast<double>(stored->errors->largest));
  }
  return held;
}

Status StepCheck::check_file(const BlockFile& file, Index block, Index time) {
  if (file.identity) tagged_ = true;
  const bool unchecked = ours_ && checksums_ && file.table == TableCheck::kUnchecked;
  if (unchecked || file.table == TableCheck::kChanged) {
    return error(Code::kDataLoss,
                 "the table of blocks is damaged, or does not match {} fields and {} blocks in a file "
                 "(--like, --bits-per-block, --blocks-per-file)",
                 part_.header().fields.size(), part_.header().blocks_per_file);
  }
  if (const auto both = find_overlap(file.entries)) {
    return error(Code::kDataLoss, "the blocks of entries {} and {} overlap", both->first, both->second);
  }
  ESKER_RETURN_IF_ERROR(check_within_box(file, block));
  return part_.files().check_identity(file, block, time);
}

// No program stores blocks outside the box: if there are some, the box was larger.
Status StepCheck::check_within_box(const BlockFile& file, Index block) const {
  const BlockGrid& blocks = part_.blocks();
  const Index per_file = part_.header().blocks_per_file, first = block - block % per_file;
  for (std::size_t n = 0; n < file.entries.size(); ++n) {
    const Index stored = first + static_cast<Index>(n) % per_file;
    if (file.entries[n].absent()) continue;
    const bool exists = stored < blocks.num_blocks() && blocks.exists(stored);
    if (!exists) return error(Code::kDataLoss, "block {} is outside the box", stored);
  }
  return {};
}

}  // namespace esker::idx
