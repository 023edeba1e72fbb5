// PidxChunkReader: answers a query from blocks that hold chunks of 4x4x4 samples, raw or as fixed-rate zfp.
//
// Blocks order chunks as others order samples, so block grid and levels are those of the chunks. The coarsest
// levels take the first sample of each chunk; the six finest are inside. Source: docs/formats/idx.md,
// section 10.
#pragma once

#include <cstddef>
#include <vector>

#include "esker/lattice.hpp"
#include "format/idx/header.h"
#include "grid/blocks.h"
#include "read/block_files.h"

namespace esker::idx {

/// The chunks that hold samples of `box`, on the axes that the mask of the chunks has.
Box chunks_of(const Box& box, int rank);

/// Whether the field can be read from chunks: one component, a bit rate that zfp keeps for its type.
Status check_chunked_field(const PidxChunks& chunks, const FieldEntry& field);

/// Places samples in the answer to a query: `selection`, dense, x fastest.
class PidxChunkReader {
 public:
  /// `blocks` is of chunks; `out` holds the samples of `selection`, of 3 axes. `zfp_bits` as in PidxChunks.
  PidxChunkReader(const BlockGrid& blocks, int zfp_bits, const FieldEntry& field, const Lattice& selection,
                  std::byte* out);

  /// Reads and decodes a block, and places nothing.
  Status load(Index block, const StoredBlock& stored);
  /// Reads what the query wants of `block`, which is stored as `stored` says.
  Status read(Index block, const StoredBlock& stored);

 private:
  void place_chunk(const Point& chunk, const std::byte* samples);

  const BlockGrid& blocks_;
  int zfp_bits_;
  const FieldEntry& field_;
  const Lattice& selection_;
  Box chunks_;  // with samples of the selection
  std::byte* out_;
  std::vector<std::byte> stored_bytes_, samples_;  // kept from block to block
};

}  // namespace esker::idx
