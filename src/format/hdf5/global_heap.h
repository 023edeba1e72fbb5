// What HDF5 1.10 believes without a look: the objects of a global heap, which hold the values of types
// without a fixed length. A damaged one would have it read what is not its own, or without end.
#pragma once

#include <cstddef>
#include <span>

#include "esker/status.hpp"

namespace esker::hdf5 {

/// Bytes of a superblock that size_of_lengths() wants.
inline constexpr std::size_t kSuperblockHead = 16;
/// Bytes of a length in the file; 0: no superblock that is known.
std::size_t size_of_lengths(std::span<const std::byte> superblock);

/// Whether the objects of a collection of a global heap lie in it. Of less than the collection, its
/// beginning, nothing is said. kDataLoss names the place. Source: "HDF5 File Format Specification", III.E.
Status check_global_heap(std::span<const std::byte> bytes, std::size_t length_bytes);

}  // namespace esker::hdf5
