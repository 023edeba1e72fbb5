// The file that says which blocks a sparse step holds: blocks.set, next to the step's block files.
//
// clang-format off
// file    = magic sum columns sets [patches]
// magic   = 8 bytes "ESKBSET1"
// sum     = xxh3-64 of what follows, little-endian
// columns = number *(set-number primary)       ; for each field of the .idx; set-number 0: absent
// sets    = number *(runs *(gap length))       ; ordinals of existing blocks: grid/block_set.h
// patches = number *(level *(lo extent))        ; of a mesh, in its order; lo and extent for each axis
// number, set-number, primary, runs, gap, length, level, lo, extent = LEB128
// clang-format on
// A gap counts the ordinals between a run and the one before; the first one begins at 0. The .idx holds the
// checksum of the complete file. Source: docs/formats/idx.md, section 14.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "esker/types/mesh.hpp"
#include "esker/types/status.hpp"
#include "grid/block_set.h"

namespace esker::idx {

inline constexpr std::string_view kBlockSetsName = "blocks.set";
inline constexpr std::size_t kMaxBlockSetsBytes = std::size_t{1} << 30;

/// A column of the .idx at a step.
struct StoredColumn {
  std::shared_ptr<const BlockSet> blocks;  ///< null: absent
  Index num_primary = 0;                   ///< samples, see KeptField
};

/// What a step stores of a grid.
struct StepSets {
  std::vector<StoredColumn> columns;
  std::vector<MeshBox> patches;  ///< of the mesh, if the grid is one
};

/// kUnsupported: readers refuse files of more than `most_bytes`.
Result<std::vector<std::byte>> encode_block_sets(const StepSets& sets,
                                                 std::size_t most_bytes = kMaxBlockSetsBytes);
/// kDataLoss: anything but an encoding of `num_columns` columns in blocks of that grid. Whether patches are
/// in their levels is not checked.
Result<StepSets> decode_block_sets(std::span<const std::byte> bytes, const BlockGrid& grid,
                                   std::size_t num_columns);
/// The checksum in the .idx.
std::uint64_t block_sets_sum(std::span<const std::byte> bytes);

}  // namespace esker::idx
