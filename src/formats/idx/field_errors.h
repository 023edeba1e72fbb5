// The errors that lossy compression left in a field, from the entries of its blocks.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/dataset_info.hpp"
#include "esker/types/status.hpp"
#include "formats/idx/commit_record.h"
#include "formats/idx/entries.h"
#include "formats/idx/header.h"
#include "formats/idx/idx_part.h"

namespace esker::idx {

/// Whether the blocks of a field have errors.
bool is_lossy(const FieldEntry& field);

/// The errors of several blocks together. The sum depends on the order of the blocks.
class ErrorSum {
 public:
  /// `num_values`: the values of the block that are inside the grid.
  void add(const BlockErrors& errors, Index num_values);
  /// Bounds, rounded up; zero if no value was added.
  [[nodiscard]] FieldErrors result() const;

 private:
  double largest_ = 0, squares_ = 0;
  Index num_values_ = 0, num_blocks_ = 0;
};

/// The errors of the fields at positions `columns` of the header at `step` (position in part.times()): all
/// blocks of the first one in the order of their numbers, then those of the next one. Nothing without loss;
/// NaN if a lossy block has none. Reads the tables of the step's files.
Result<std::optional<FieldErrors>> field_errors(const IdxPart& part, const std::vector<int>& columns,
                                                Index step);

/// The largest error of each lossy field of a header at each step, for the record: 0 where it is absent. The
/// columns of one field all get its largest error. `largest` has those of each step, by position in the
/// header.
std::map<std::string, std::vector<double>> recorded_errors(const Header& header, const CommitRecord& record,
                                                           const std::vector<std::vector<double>>& largest);

}  // namespace esker::idx
