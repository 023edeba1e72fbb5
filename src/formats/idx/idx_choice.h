// How large blocks and files are when the user does not say.
#pragma once

#include "esker/box.hpp"
#include "grid/bitmask.h"

namespace esker::idx {

/// Samples in existing blocks over samples in the box: what whole blocks cost (>= 1).
double stored_over_data(const Bitmask& mask, int bits_per_block, const Box& box);

/// Of the fields of a grid, which share the number of samples in a block.
struct SampleBytes {
  Index smallest = 0, largest = 0;
};

/// The largest bits_per_block with stored_over_data <= 1.15 and blocks of at most 256 KiB; if there is none,
/// the one with the least stored_over_data where blocks have at least 16 KiB (all, where the grid is
/// smaller). The first limit is for the field with the largest samples, the second for that with the
/// smallest: below it, many small blocks cost more time than the space that they save.
int choose_bits_per_block(const Bitmask& mask, const Box& box, const SampleBytes& sample_bytes);

/// Files of 32-64 MiB; below 1 GiB per step at least 8 files of at least 4 MiB where possible, so that
/// several writers do not share a file. `block_bytes` is that of one block of all fields. A power of two.
Index choose_blocks_per_file(Index num_blocks, Index num_existing, Index block_bytes);

}  // namespace esker::idx
