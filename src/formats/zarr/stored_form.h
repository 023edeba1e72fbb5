// StoredForm: the files of an array, and how they hold its values, whichever program wrote them. Pure.
//
//   temp/c/3/0/1     chunk or shard (3, 0, 1) of the array, in Zarr v3's default form
//   temp/3.0.1       the same in Zarr v2's
//
// Extents are slowest axis first, as in the files.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "formats/zarr/codec_chain.h"
#include "formats/zarr/metadata.h"

namespace esker::zarr {

/// A chunk is decoded in memory, so larger ones are refused.
inline constexpr Index kMostDecodedBytes = Index{1} << 31;
/// The index of a shard is read as a whole.
inline constexpr Index kMostForeignShardChunks = Index{1} << 22;

/// Names of files: with a leading "c", and between the numbers.
struct KeyForm {
  bool has_prefix = true;
  char separator = '/';
};

struct StoredForm {
  std::vector<Index> shape = {};
  std::vector<Index> file = {};   ///< samples of a file: a chunk, or a shard of whole chunks
  std::vector<Index> chunk = {};  ///< samples of a chunk
  bool is_sharded = false;
  bool has_index_at_start = false;  ///< of a shard; else at its end
  bool has_index_sum = true;
  CodecChain chain = {};  ///< of chunks
  KeyForm keys = {};
  std::vector<std::byte> fill = {};  ///< one value in memory, of missing chunks
};

/// The form of arrays that Esker wrote.
StoredForm form_of(const Array& array);

/// The name of a file, relative to the directory of the array: "/c/3/0/1".
std::string key_of(const KeyForm& keys, std::span<const Index> file);

}  // namespace esker::zarr
