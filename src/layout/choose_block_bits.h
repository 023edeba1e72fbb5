// choose_block_bits: the rule for bits_per_block where the user sets none.
#pragma once

#include <vector>

#include "base/macros.h"
#include "esker/types/status.hpp"
#include "layout/kept_fields.h"

namespace esker {

/// The first of `choices`, in descending order, whose blocks store at most kMaxStoredOverData of what is
/// asked for; if there is none, the one that stores the least. 0 without choices. `ratio_of(bits)` returns
/// stored over asked as Result<double>; its errors are passed on.
template <class RatioOf>
Result<int> choose_block_bits(const std::vector<int>& choices, const RatioOf& ratio_of) {
  int best = 0;
  double best_ratio = 0;
  for (const int bits : choices) {
    ESKER_ASSIGN_OR_RETURN(const double ratio, ratio_of(bits));
    if (best != 0 && ratio >= best_ratio) continue;
    best = bits;
    best_ratio = ratio;
    if (ratio <= kMaxStoredOverData) break;
  }
  return best;
}

/// Stored bytes over bytes of primary samples, summed over fields.
class StoredOverPrimary {
 public:
  /// A field with so many bytes per sample.
  void add(const KeptField& field, Index sample_bytes) {
    const BlockSet& blocks = *field.blocks;
    const auto bytes = static_cast<double>(sample_bytes);
    stored_bytes_ += bytes * static_cast<double>(blocks.size() * blocks.grid().samples_per_block());
    primary_bytes_ += bytes * static_cast<double>(field.num_primary);
  }
  /// 1 if there are no primary samples.
  [[nodiscard]] double ratio() const { return primary_bytes_ > 0 ? stored_bytes_ / primary_bytes_ : 1; }

 private:
  double stored_bytes_ = 0, primary_bytes_ = 0;
};

}  // namespace esker
