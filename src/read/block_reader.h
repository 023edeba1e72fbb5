// BlockReader: carries out one query, block by block.
#pragma once

#include <cstddef>
#include <vector>

#include "codec/codec.h"
#include "esker/lattice.hpp"
#include "format/idx/header.h"
#include "grid/blocks.h"
#include "layout/idx_block.h"
#include "read/block_files.h"

namespace esker::idx {

/// Places the samples of blocks in the answer to a query: `selection`, dense, x fastest, components innermost.
class BlockReader {
 public:
  /// `box` is the query's, clipped to the grid; `out` holds the samples of `selection`.
  BlockReader(const BlockGrid& blocks, const FieldEntry& field, const Lattice& selection, const Box& box,
              std::byte* out)
      : blocks_(blocks), field_(field), selection_(selection), box_(box), out_(out) {}

  /// Reads what the query wants of `block`, which is stored as `stored` says.
  Status read(Index block, const StoredBlock& stored);

 private:
  Status read_raw_part(const StoredBlock& stored, const BlockPart& part);
  Status decode_block(Index block, const StoredBlock& stored);
  void place_decoded_part(const BlockPart& part);

  const BlockGrid& blocks_;
  const FieldEntry& field_;
  const Lattice& selection_;
  const Box& box_;
  std::byte* out_;
  std::vector<std::byte> stored_bytes_, samples_;   // kept from block to block
};

}  // namespace esker::idx
