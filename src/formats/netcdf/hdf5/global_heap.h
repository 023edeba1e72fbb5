// The global heap of an HDF5 file, which holds the values of types without a fixed length. Pure.
// Source: "HDF5 File Format Specification", III.E and IV.B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "esker/box.hpp"
#include "esker/status.hpp"

namespace esker::hdf5 {

/// Bytes of a superblock that size_of_lengths() wants.
inline constexpr std::size_t kSuperblockHead = 16;
/// Bytes of a length in the file; 0: no superblock that is known.
std::size_t size_of_lengths(std::span<const std::byte> superblock);

/// What stands in a file for a value without a fixed length.
struct HeapReference {
  std::uint32_t n_elements = 0;
  std::uint64_t collection = 0;  ///< its place; 0: no value
  std::uint32_t object = 0;
};
inline constexpr std::size_t kReferenceBytes = 16;
HeapReference parse_reference(std::span<const std::byte, kReferenceBytes> bytes);

inline constexpr std::size_t kCollectionHead = 16;
/// Bytes of a collection by its first ones. kDataLoss: it is none.
Result<std::uint64_t> collection_bytes(std::span<const std::byte> head, std::size_t length_bytes);
/// The bytes of an object of a collection. kDataLoss: it has none of that number, or is damaged before it.
Result<std::span<const std::byte>> find_object(std::span<const std::byte> collection,
                                               std::size_t length_bytes, std::uint32_t number);

}  // namespace esker::hdf5
