// The global heap of an HDF5 file, which holds variable-length values. Pure.
// Source: "HDF5 File Format Specification", III.E and IV.B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"

namespace esker::hdf5 {

/// Bytes of a superblock that size_of_lengths() needs.
inline constexpr std::size_t kSuperblockHead = 16;
/// Bytes of a length field in the file; 0 if the superblock is not a known one.
std::size_t size_of_lengths(std::span<const std::byte> superblock);

/// The stored reference to a variable-length value.
struct HeapReference {
  std::uint32_t n_elements = 0;
  std::uint64_t collection = 0;  ///< its offset; 0: no value
  std::uint32_t object = 0;
};
inline constexpr std::size_t kReferenceBytes = 16;
HeapReference parse_reference(std::span<const std::byte, kReferenceBytes> bytes);

inline constexpr std::size_t kCollectionHead = 16;
/// The size of a collection, from its first bytes. kDataLoss: not a collection.
Result<std::uint64_t> collection_bytes(std::span<const std::byte> head, std::size_t length_bytes);
/// The bytes of the objects of a collection, by number; of a damaged one, those before the damage.
using HeapObjects = std::map<std::uint32_t, std::span<const std::byte>>;
HeapObjects objects_of(std::span<const std::byte> collection, std::size_t length_bytes);
/// kDataLoss: no object has that number.
Result<std::span<const std::byte>> find_object(const HeapObjects& objects, std::uint32_t number);

}  // namespace esker::hdf5
