// PartInfo, StorageInfo: the parts of a dataset, and its files.
#pragma once

#include <string>
#include <vector>

#include "esker/types/box.hpp"

namespace esker {

/// The time-dependent fields of a grid, or its fixed fields. In an IDX dataset each part has its own .idx
/// file.
struct PartInfo {
  std::string name;  ///< the grid's name, followed by "_fixed" for fixed fields
  std::string path;  ///< of its .idx, or of the file that contains all parts
  std::vector<std::string> fields;
  Box box;
  std::string bitmask;     ///< defines the order of its levels
  int bits_per_block = 0;  ///< 0 (like the numbers of blocks) if the format has no blocks
  Index blocks_per_file = 0;
  Index num_blocks = 0;  ///< blocks that exist, per field and step
  Index num_steps = 0;   ///< 1 for fixed fields
};

/// Number and size of a dataset's files.
struct StorageInfo {
  Index files = 0;
  Index bytes = 0;
};

}  // namespace esker
