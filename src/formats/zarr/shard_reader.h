// ShardReader: reads the chunks of one field at one step from its shards.
//
// It keeps the shard and the decoded chunk that it read last, so chunks are best asked for one after the
// other. One thread at a time. A shard without a file, and a chunk that its index does not have, hold the
// fill value.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "esker/types/lattice.hpp"
#include "formats/zarr/model.h"
#include "formats/zarr/paths.h"
#include "formats/zarr/shard_index.h"
#include "read/read_context.h"
#include "store/store.h"

namespace esker::zarr {

class ShardReader {
 public:
  /// `field`: of the level. `step`: -1 for a fixed field. The references must outlive it.
  ShardReader(Store& store, const Paths& paths, const Model& model, const Level& level, std::size_t field,
              Index step, ReadCounters& counters);

  [[nodiscard]] const ChunkedLayout& layout() const { return *layout_; }
  /// Reads a lattice of a chunk, in indices of the chunk, to `out`: dense, x fastest. kDataLoss names the
  /// file.
  Status read(const Point& chunk, const Lattice& part, std::byte* out);
  /// Reads all chunks of a shard, and decodes them. Returns the bytes of its file. kNotFound: it has none.
  Result<Index> check(Index file);

 private:
  Status open(Index file);
  Status read_plain(const Lattice& part, Index offset, std::byte* out);
  Status decode(const ChunkPlace& place);
  [[nodiscard]] ChunkPlace place_of(const Point& chunk) const;

  Store& store_;
  const Array& array_;
  FieldStorage storage_;
  BlockShape shape_;
  std::shared_ptr<const ChunkedLayout> layout_;
  std::string files_;  // Paths::files_of()
  int num_axes_;
  Index step_, sample_bytes_;
  ReadCounters& counters_;
  Index opened_ = -1;                               // number of the shard; -1: none
  std::unique_ptr<File> file_;                      // null: there is no such file
  std::string path_;                                // of the shard
  Index file_bytes_ = 0;                            // its length
  std::vector<ChunkPlace> places_;                  // of its chunks, x fastest
  std::vector<std::byte> chunk_;                    // decoded
  std::uint64_t decoded_at_ = ChunkPlace::kAbsent;  // where it is stored
};

}  // namespace esker::zarr
