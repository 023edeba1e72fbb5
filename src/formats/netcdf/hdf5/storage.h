// Storage: in which chunks the fields of a NetCDF-4 file are stored, and how these are compressed. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/codec.h"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "layout/chunked.h"

namespace esker::hdf5 {

/// How values are stored.
struct Storage {
  Index alignment_bytes = 1;        ///< alignment of the variables: fixed ones, and those of a step
  Index chunk_alignment_bytes = 1;  ///< alignment of chunks that are not compressed
  std::vector<ChunkedLayout::Shape> chunks = {};  ///< [position in Schema::fields()]
  std::vector<CodecSpec> codecs = {};             ///< likewise

  [[nodiscard]] bool is_compressed(std::size_t field) const { return codecs[field].kind != CodecKind::kRaw; }
};

/// The options that concern chunks.
struct ChunkOptions {
  Index alignment_bytes = 1;        ///< Storage::alignment_bytes
  Index chunk_alignment_bytes = 1;  ///< Storage::chunk_alignment_bytes
  std::vector<Index> extents;       ///< x first, of grids with at most that many axes; empty: chosen by Esker
  std::vector<Point> boxes = {};    ///< [position in Schema::fields()]: preferred; 0 or none: use the others
};

/// kInvalidArgument, kUnsupported: options that NetCDF-4 files do not support, naming the field.
Result<Storage> choose_storage(const Schema& schema, const ChunkOptions& options);

/// Whether a field is stored without chunks: a fixed one that is not compressed.
bool is_contiguous(const Schema& schema, const Storage& storage, std::size_t field);
/// The samples of a chunk.
BlockShape chunk_of(const Schema& schema, const Storage& storage, std::size_t field);

/// The layout of a field (at one step unless it is fixed), with offsets counted from its first byte. A
/// compressed chunk is one piece. For `dense_axis` see StepHints.
ChunkedLayout layout_of(const Schema& schema, const Storage& storage, int field, int dense_axis = 0);

}  // namespace esker::hdf5
