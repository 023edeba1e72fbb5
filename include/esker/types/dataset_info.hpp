// PartInfo, StorageInfo, FieldErrors: the parts of a dataset, its files, and what compression lost.
#pragma once

#include <string>
#include <vector>

#include "esker/types/box.hpp"

namespace esker {

/// The time-dependent fields of a grid, or its fixed fields. In an IDX dataset each part has its own .idx
/// file.
struct PartInfo {
  std::string name;  ///< the grid's name, followed by "_fixed" for fixed fields
  /// Of its .idx, of the file that contains all parts, or of the .midx of partitions that are stored
  /// separately.
  std::string path;
  std::vector<std::string> fields;
  Box box;
  std::string bitmask;     ///< defines the order of its levels
  int bits_per_block = 0;  ///< 0 (like the numbers of blocks) if the format has no blocks
  Index blocks_per_file = 0;
  Index num_blocks = 0;  ///< blocks that exist, per field and step
  Index num_steps = 0;   ///< 1 for fixed fields
  /// Partitions that are stored separately, each with its own .idx files (partition_index=local): the numbers
  /// of blocks are then sums or maxima of all. Or bricks with their own coarse blocks (hybrid). 0: neither.
  Index local_partitions = 0, hybrid_bricks = 0;
  /// Its blocks, or patches, have checksums: verify() finds changed values.
  bool has_checksums = false;
};

/// Number and size of a dataset's files.
struct StorageInfo {
  Index files = 0;
  Index bytes = 0;
};

/// What a sparse step stores of a field (see KeepRule), in samples.
struct StoredSamples {
  Index primary = 0;    ///< of levels that are kept at their place
  Index secondary = 0;  ///< other samples of the grid in stored blocks
  Index padding = 0;    ///< of stored blocks, outside the grid
  Index blocks = 0;     ///< stored

  /// Primary samples over all samples of the grid that are stored.
  [[nodiscard]] double efficiency() const {
    return primary + secondary > 0 ? static_cast<double>(primary) / static_cast<double>(primary + secondary)
                                   : 1.0;
  }
  friend bool operator==(const StoredSamples&, const StoredSamples&) = default;
};

/// The differences between the samples of a field that were written, and those that are stored.
struct FieldErrors {
  double largest = 0;  ///< absolute
  double rms = 0;      ///< root of the mean square
  friend bool operator==(const FieldErrors&, const FieldErrors&) = default;
};

}  // namespace esker
