// Shuffle: groups the bytes of values by their place in the value.
//
// First the first bytes of all values, then the second ones ...: neighboring values differ in few of their bytes,
// so that the groups compress well. This is the filter `shuffle` of HDF5 files.
#pragma once

#include <cstddef>
#include <span>

#include "esker/types/box.hpp"

namespace esker {

/// `values`: complete values of `value_bytes` each. `out`: as many bytes, elsewhere. Allocates nothing.
void shuffle(std::span<const std::byte> values, Index value_bytes, std::span<std::byte> out);
/// The inverse.
void unshuffle(std::span<const std::byte> shuffled, Index value_bytes, std::span<std::byte> out);

}  // namespace esker
