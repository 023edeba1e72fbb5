// ShardReader: reads the chunks of one field at one step from shards that Esker wrote; see ChunkFiles.
#pragma once

#include <memory>

#include "esker/types/lattice.hpp"
#include "formats/zarr/chunk_files.h"
#include "formats/zarr/model.h"
#include "formats/zarr/paths.h"
#include "read/read_context.h"
#include "store/store.h"

namespace esker::zarr {

class ShardReader {
 public:
  /// `field`: of the level. `step`: -1 for a fixed field. The references must outlive it.
  ShardReader(Store& store, const Paths& paths, const Model& model, const Level& level, std::size_t field,
              Index step, ReadCounters& counters);
  ShardReader(const ShardReader&) = delete;
  ShardReader& operator=(const ShardReader&) = delete;

  [[nodiscard]] const ChunkedLayout& layout() const { return *layout_; }
  /// Reads a lattice of a chunk, in indices of the chunk, to `out`: dense, x fastest. kDataLoss names the
  /// file.
  Status read(const Point& chunk, const Lattice& part, std::byte* out) {
    return files_.read(chunk, part, out);
  }
  /// Reads all chunks of a shard, and decodes them. Returns the bytes of its file. kNotFound: it has none.
  Result<Index> check(Index file);

 private:
  std::shared_ptr<const ChunkedLayout> layout_;
  BlockShape shape_;
  StoredForm form_;
  ChunkFiles files_;
};

}  // namespace esker::zarr
