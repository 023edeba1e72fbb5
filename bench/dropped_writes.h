// dropped_writes: storage that takes all bytes at once and keeps only the metadata of files, which cannot be
// read. Measures everything except the device.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace bench {

/// From now on, or no longer, only the first 64 KiB of each file are stored. See throttle.h for how calls
/// arrive.
void drop_writes(bool drops);

/// How many of the bytes that are written at `offset` are to be stored: the first ones.
std::size_t stored_part(std::size_t size, off_t offset);

}  // namespace bench
