// CommittedSteps: what the index files of a dataset say of its steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "esker/types/schema.hpp"
#include "format/format_writer.h"
#include "formats/idx/commit_record.h"
#include "formats/idx/dataset_parts.h"

namespace esker::idx {

struct CommittedSteps {
  /// [part]: the checksum of the file of block sets, if the step has one.
  using SetSums = std::vector<std::optional<std::uint64_t>>;

  std::vector<double> times;
  std::vector<std::vector<bool>> present;      ///< [step]: see StoredStep
  std::vector<std::vector<float>> max_errors;  ///< likewise
  std::vector<SetSums> set_sums;               ///< [step]

  [[nodiscard]] Index size() const { return static_cast<Index>(times.size()); }
  /// Adds a step; forgets those from its number on.
  void take(const StoredStep& stored, const SetSums& sums);
  void forget_from(Index num_steps);

  /// The commit record of a part that lists so many steps. `number`: of the part.
  [[nodiscard]] CommitRecord record_of(const Schema& schema, const Part& part, std::size_t number,
                                       Index num_steps) const;
  /// The text of its .idx.
  [[nodiscard]] std::string text_of(const Schema& schema, const Part& part, std::size_t number,
                                    Index num_steps) const;
};

}  // namespace esker::idx
