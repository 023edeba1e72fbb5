// choose_block_bits: the rule for bits_per_block where the user sets none.
#pragma once

#include <algorithm>
#include <span>

#include "layout/kept_fields.h"

namespace esker {

/// What blocks of 2^bits samples store, in bytes.
struct StoredByBits {
  int bits = 0;
  double stored_bytes = 0;
  double primary_bytes = 0;  ///< of the samples that are asked for, and those in their place in block 0

  /// Adds a field with so many bytes per sample.
  void add(const KeptField& field, Index sample_bytes) {
    const BlockSet& blocks = *field.blocks;
    const auto bytes = static_cast<double>(sample_bytes);
    stored_bytes += bytes * static_cast<double>(blocks.size() * blocks.grid().samples_per_block());
    primary_bytes += bytes * static_cast<double>(field.num_primary);
  }
};

/// The bits of the largest blocks that store at most kMaxStoredOverData of what is asked for; if there are
/// none, of those that store the least. 0 without choices. Small blocks tell what is asked for: large ones
/// have a finer block 0, to which coarser levels are raised.
inline int choose_block_bits(std::span<const StoredByBits> choices) {
  if (choices.empty()) return 0;
  const auto asked = std::min_element(choices.begin(), choices.end(), [](const auto& a, const auto& b) {
    return a.primary_bytes < b.primary_bytes;
  });
  const StoredByBits* best = &choices.front();
  for (const StoredByBits& choice : choices) {
    const auto excess = [&](const StoredByBits& c) {
      return std::max(c.stored_bytes, kMaxStoredOverData * asked->primary_bytes);
    };
    const bool is_larger = choice.bits > best->bits;
    if (is_larger ? excess(choice) <= excess(*best) : excess(choice) < excess(*best)) best = &choice;
  }
  return best->bits;
}

}  // namespace esker
