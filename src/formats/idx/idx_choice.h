// Chooses sizes of blocks and files if the user does not set them.
#pragma once

#include "esker/types/box.hpp"
#include "grid/bitmask.h"

namespace esker::idx {

/// Smaller blocks cost more time than the space that they save.
inline constexpr Index kMinBlockBytes = Index{16} << 10;

/// Samples in existing blocks divided by samples in the box: the overhead of complete blocks (>= 1).
double stored_over_data(const Bitmask& mask, int bits_per_block, const Box& box);

/// For the fields of a grid, which share the number of samples per block.
struct SampleBytes {
  Index smallest = 0, largest = 0;
};

/// The largest bits_per_block with stored_over_data <= 1.15 and blocks of at most 256 KiB. If there is none,
/// the one with the least stored_over_data among those with blocks of at least 16 KiB (of the complete grid
/// if it is smaller). The first limit is applied to the field with the largest samples, the second to the
/// field with the smallest: below it, the time for many small blocks outweighs the saved space.
int choose_bits_per_block(const Bitmask& mask, const Box& box, const SampleBytes& sample_bytes);

/// Files of 32-64 MiB. Below 1 GiB per step, at least 8 files of at least 4 MiB if possible, so that several
/// writers do not share a file. `block_bytes` is the size of one block of all fields. Returns a power of two.
/// In partitions, if each stores more than 512 MiB: 8 files in each, which are then larger.
Index choose_blocks_per_file(Index num_blocks, Index num_existing, Index block_bytes, Index partitions = 0);

}  // namespace esker::idx
