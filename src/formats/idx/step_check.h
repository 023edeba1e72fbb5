// StepCheck: whether the blocks of a step are there and whole, where nothing but they can tell.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "esker/status.hpp"
#include "formats/idx/idx_part.h"

namespace esker::idx {

class StepCheck {
 public:
  /// `ours`: written by Esker, so that each field has all its blocks or none; `checksums`: so it is said.
  StepCheck(const IdxPart& part, bool ours, bool checksums)
      : part_(part), ours_(ours), checksums_(checksums) {}

  /// Reads all blocks at that time. Returns the fields without any. kDataLoss: the step is not whole.
  Result<std::vector<std::string>> run(Index time);

  /// Whether files say that Esker wrote them.
  [[nodiscard]] bool tagged() const { return tagged_; }

 private:
  Result<Index> count_blocks(int field, Index time);
  Status check_file(const BlockFile& file, Index block, Index time);
  [[nodiscard]] Status check_within_box(const BlockFile& file, Index block) const;

  const IdxPart& part_;
  bool ours_, checksums_;
  bool tagged_ = false;
  std::shared_ptr<const BlockFile> checked_;  // the last one
};

}  // namespace esker::idx
