// Storage: the chunks and shards of fields, and how chunks are compressed. Follows from grid, type and
// options alone, so the files are the same for any ranks. Pure.
#pragma once

#include <memory>
#include <vector>

#include "codec/codec.h"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/zarr/metadata.h"
#include "layout/chunked.h"

namespace esker::zarr {

/// A chunk is what readers read at once.
inline constexpr Index kMostChunkBytes = Index{4} << 20;
/// A shard is one file, with whole chunks of at most so many bytes together, before they are compressed.
inline constexpr Index kMostShardBytes = Index{128} << 20;
/// And at most so many of them: the index of a shard is made in memory.
inline constexpr Index kMostShardChunks = Index{1} << 16;
/// Steps in a file of times, and of a field without axes.
inline constexpr Index kStepsPerFile = 1024;

struct FieldStorage {
  Point chunk{1, 1, 1, 1, 1};            ///< samples per axis, x first
  Point chunks_per_file{1, 1, 1, 1, 1};  ///< likewise
  CodecSpec codec;                       ///< raw, zip, zstd or blosc
  int kept_bits = 0;                     ///< of the mantissa, rounded before the codec; 0: all
};

/// [position in Schema::fields()]
using Storage = std::vector<FieldStorage>;

/// `chunks`: extents x first, of grids with at most that many axes; empty: chosen. kInvalidArgument,
/// kUnsupported: what Zarr arrays do not support, naming the field.
Result<Storage> choose_storage(const Schema& schema, const std::vector<Index>& chunks);
/// The storage of arrays that exist. kDataLoss: not as Esker writes them.
Result<FieldStorage> storage_of(const Schema& schema, const Field& field, const Array& array);

/// Whether the field has one sample per step: several steps are in one file.
bool is_series(const Schema& schema, const Field& field);
BlockShape chunk_of(const Schema& schema, const Field& field, const FieldStorage& storage);

/// The layout of a field, at a step unless it is fixed. A compressed chunk is one piece, after which there is
/// room for what compression may add.
std::shared_ptr<const ChunkedLayout> layout_of(const Schema& schema, const Field& field,
                                               const FieldStorage& storage);

}  // namespace esker::zarr
