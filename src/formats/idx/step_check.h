// StepCheck: checks that the blocks of a step exist and are complete, if only the blocks themselves can tell.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/status.hpp"
#include "formats/idx/block_set_file.h"
#include "formats/idx/idx_part.h"

namespace esker::idx {

class StepCheck {
 public:
  /// `ours`: written by Esker, so each field has all its blocks or none. `checksums`: the files should have
  /// them.
  StepCheck(const IdxPart& part, bool ours, bool checksums)
      : part_(part), ours_(ours), checksums_(checksums) {}

  /// Reads all blocks at that time, of a sparse step those that its file of block sets names. Returns the
  /// fields without blocks. kDataLoss: the step is incomplete.
  Result<std::vector<std::string>> run(Index time);

  /// The largest error of each field at the time of the last run(), by position in the header; 0 for those
  /// without errors.
  [[nodiscard]] const std::vector<double>& largest_errors() const { return largest_errors_; }
  /// Of a sparse step: the checksum of its file of block sets.
  [[nodiscard]] const std::optional<std::uint64_t>& sets_sum() const { return sets_sum_; }
  /// Whether the files identify Esker as their writer.
  [[nodiscard]] bool tagged() const { return tagged_; }

 private:
  Status load_sets(Index time);
  Result<Index> count_blocks(int field, Index time, const BlockSet& expected);
  Status check_file(const BlockFile& file, Index block, Index time);
  [[nodiscard]] Status check_within_box(const BlockFile& file, Index block) const;

  const IdxPart& part_;
  bool ours_, checksums_;
  bool tagged_ = false;
  const BlockSet all_{part_.blocks()};
  StepSets sets_;  // of a sparse step
  std::optional<std::uint64_t> sets_sum_;
  std::vector<double> largest_errors_;
  std::shared_ptr<const BlockFile> checked_;  // the last one
};

}  // namespace esker::idx
