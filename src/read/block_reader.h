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

/// The samples of a field of the .idx that a query wants, and where they go.
struct Answer {
  Lattice selection;
  Box box;                        ///< the query's, clipped to the grid
  std::byte* out = nullptr;       ///< the first sample of `selection`
  Index sample_stride_bytes = 0;  ///< from one sample to the next; x fastest, without gaps otherwise
};

/// Places the samples of blocks in the answer to a query.
class BlockReader {
 public:
  /// Field number `field_number` of the .idx is `field`. With `verify`, blocks whose checksum is stored are
  /// compared with it, for which they are read whole. All references outlive this.
  BlockReader(const BlockGrid& blocks, const FieldEntry& field, int field_number, const Answer& answer,
              bool verify)
      : blocks_(blocks), field_(field), field_number_(field_number), answer_(answer), verify_(verify) {}

  /// Reads what the query wants of `block`, which is stored as `stored` says.
  Status read(Index block, const StoredBlock& stored);

 private:
  Status read_raw_part(const StoredBlock& stored, const PiecePart& part);
  void place_decoded_part(const PiecePart& part);

  const BlockGrid& blocks_;
  const FieldEntry& field_;
  int field_number_;
  const Answer& answer_;
  bool verify_;
  std::vector<std::byte> stored_bytes_, samples_;  // kept from block to block
};

/// Reads a stored block whole, to `stored_bytes`, compares it with its checksum if it has one, and decodes it
/// to `samples`. kDataLoss says what is wrong.
Status load_block(const BlockGrid& blocks, const FieldEntry& field, int field_number, Index block,
                  const StoredBlock& stored, std::vector<std::byte>& stored_bytes,
                  std::vector<std::byte>& samples);

}  // namespace esker::idx
