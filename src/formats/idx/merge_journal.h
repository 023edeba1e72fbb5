// The journal of `esker merge`: everything that changes in the block files of one step, next to the dataset.
//
// clang-format off
// journal = magic step name-length name sum *record end
// record  = kind first-block offset size sum bytes    ; `size` bytes for the file that begins with first-block
// end     = 0 0 0 0 sum
// magic   = "ESKMERG1"                                ; name: of the .idx, without its suffix
// kind    = 1 (invalidates a table) | 2 (blocks) | 3 (a table)
// clang-format on
// Numbers have 64 bits, little-endian. Sums are XXH3-64: of the bytes, seeded by the sum of the numbers
// before it, which is seeded by 0. A journal takes its name by a rename when it is complete, so that a killed
// merge leaves all of it or none. Applying it again changes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "store/store.h"

namespace esker::idx {

enum class MergeKind : std::uint64_t { kEnd = 0, kInvalidate = 1, kBlocks = 2, kTable = 3 };

struct MergeRecord {
  MergeKind kind = MergeKind::kEnd;
  Index first_block = 0;  ///< of the file
  Index offset_bytes = 0;
  Index size_bytes = 0;
};

/// Appends to a new file.
class MergeJournalWriter {
 public:
  explicit MergeJournalWriter(File& file) : file_(file) {}

  Status begin(Index step, const std::string& name);
  Status add(MergeKind kind, Index first_block, Index offset_bytes, std::span<const std::byte> bytes);
  Status end();

 private:
  Status append(std::span<const std::byte> bytes);

  File& file_;
  Index end_bytes_ = 0;
};

/// The step and the .idx that it merges.
struct MergeJournalHead {
  Index step = 0;
  std::string name;
  Index records_at = 0;  ///< offset of the first record
};

/// kDataLoss: not a journal, or damaged.
Result<MergeJournalHead> read_merge_head(const File& file);

/// Calls visit(record, bytes) for all records in order. kDataLoss: damaged, or incomplete.
using VisitMergeRecord = std::function<Status(const MergeRecord&, std::span<const std::byte>)>;
Status for_each_merge_record(const File& file, const MergeJournalHead& head, const VisitMergeRecord& visit);

}  // namespace esker::idx
