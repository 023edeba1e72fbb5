// ChunkFiles: reads the chunks of an array from its files, those of one step if it has steps.
//
// An array has an axis of steps, then the axes of a grid, then those of components; the first and the last
// may be missing. Chunks are numbered along the axes of the grid, x first. It keeps the file and the decoded
// chunk that it read last, so chunks are best asked for one after the other. One thread at a time. A missing
// file, and a chunk that the index of its shard does not have, hold the fill value.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "esker/types/lattice.hpp"
#include "formats/zarr/shard_index.h"
#include "formats/zarr/stored_form.h"
#include "read/block_cache.h"
#include "read/read_context.h"
#include "store/store.h"

namespace esker::zarr {

class ChunkFiles {
 public:
  /// `rank`: axes of the grid. `step`: -1 if the array has no axis of steps. The references must outlive it.
  ChunkFiles(Store& store, std::string directory, const StoredForm& form, int rank, Index step,
             ReadCounters& counters);
  /// Decoded chunks go to this cache, too. `array`: its number among those that share the cache.
  void keep_in(BlockCache& cache, int array) { cache_ = &cache, array_ = array; }

  /// Samples of a chunk along the axes of the grid, x first.
  [[nodiscard]] Point chunk_extent() const { return extent_; }
  [[nodiscard]] Index sample_bytes() const { return sample_bytes_; }
  /// Reads a lattice of a chunk, in indices of the chunk, to `out`: dense, x fastest. kDataLoss names the
  /// file.
  Status read(const Point& chunk, const Lattice& part, std::byte* out);
  /// Whether the file of a chunk exists, and its index has the chunk.
  [[nodiscard]] Result<bool> has(const Point& chunk);
  /// Of the file of the chunk that was read last.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool has_file() const { return file_ != nullptr; }
  [[nodiscard]] Index file_bytes() const { return file_bytes_; }
  /// Decodes all chunks of a file, which is named by its place along all axes of the array. Returns its
  /// bytes. kNotFound: it does not exist.
  Result<Index> check(const std::vector<Index>& file);

 private:
  using Places = std::vector<Index>;  // along all axes, slowest first
  [[nodiscard]] Places places_of(const Point& chunk) const;
  Status open(const Places& file);
  Status read_index();
  /// Of a chunk of the open file, which is named by its place in the array.
  [[nodiscard]] ChunkPlace stored_at(const Places& chunk) const;
  Result<ChunkPlace> find(const Places& chunk);
  [[nodiscard]] Index number_of_chunk(const Places& places) const;
  Status read_plain(const Lattice& part, Index offset, std::byte* out);
  Result<std::shared_ptr<const DecodedBlock>> decode(const ChunkPlace& place);
  Status decode_for(const Places& chunk, const ChunkPlace& place);

  Store& store_;
  std::string directory_;
  const StoredForm& form_;
  std::size_t rank_, first_;  // axes of the grid, and of steps before them
  Index step_;
  ReadCounters& counters_;
  BlockCache* cache_ = nullptr;
  int array_ = 0;
  const Places counts_;  // of chunks in a file
  Point extent_{1, 1, 1, 1, 1};
  std::array<Index, kMaxRank> strides_{};  // in a decoded chunk, x first
  Index sample_bytes_ = 0, chunk_bytes_ = 0;
  Index step_bytes_ = 0;        // of the step's first sample in a decoded chunk
  Places opened_ = {-1};        // -1: none
  std::unique_ptr<File> file_;  // null: there is no such file
  std::string path_;
  Index file_bytes_ = 0;
  std::vector<ChunkPlace> index_;  // of the chunks of a shard, row-major
  std::shared_ptr<const DecodedBlock> chunk_;
  std::uint64_t decoded_at_ = ChunkPlace::kAbsent;  // where it is stored in the file
};

}  // namespace esker::zarr
