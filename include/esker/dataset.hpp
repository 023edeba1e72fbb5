// Dataset: reads any step, box and resolution level of a dataset, without MPI.
//
//   auto ds = esker::Dataset::open("run.idx").value();
//   esker::Query query{.field = "thk", .step = -1, .level = ds.max_level("thk").value() - 4};
//   auto answer = ds.select(query).value();                 // which samples
//   std::vector<float> map(answer.num_samples());
//   ds.read(query, map.data(), map.size() * sizeof(float)).check();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "esker/box.hpp"
#include "esker/byte_source.hpp"
#include "esker/export.h"
#include "esker/lattice.hpp"
#include "esker/schema.hpp"
#include "esker/status.hpp"

namespace esker {

/// What to read: the samples of one field at one step that lie in `box` and belong to levels <= `level`, or
/// those selected by `stride`.
struct Query {
  std::string field;
  Index step = -1;                ///< position in steps(), negative from the end; fixed fields ignore it
  /// Half open, x first, in samples of the full grid, within the grid; absent: all of the grid.
  std::optional<Box> box = {};
  std::optional<int> level = {};  ///< 0 ... max_level(); absent: max_level(), every sample
  /// Selects the samples whose index is a multiple of `stride` on each axis, in place of those of a level.
  /// `level` must be absent; the coarsest level that contains all of them is read.
  std::optional<Point> stride = {};
  /// Samples of levels below `start_level` are already in the caller's memory and are not read again.
  int start_level = 0;
};

/// The value of samples whose block is missing from the dataset.
enum class MissingBlocks {
  kAuto,     ///< kFill where other programs may omit blocks; error kDataLoss where Esker wrote all
  kFill,     ///< the field's _FillValue, if it has one, else its default value
  kNearest,  ///< the nearest coarser sample within the query, if it is stored; else as kFill
};

/// What a read cost.
struct ReadStatistics {
  Index blocks = 0;          ///< read completely or in part; 0 for files without blocks, like the next two
  Index cached_blocks = 0;   ///< found in the cache
  Index missing_blocks = 0;  ///< not in the dataset
  Index reads = 0;           ///< calls to the file system or the format's library
  Index bytes = 0;           ///< read by these calls
  double seconds = 0;
};

/// How to carry out a query. All members have defaults.
struct ReadOptions {
  MissingBlocks missing = MissingBlocks::kAuto;
  /// If not null: one byte per sample of the result, in the same order, set to 1 if the sample is stored,
  /// else to 0.
  std::uint8_t* is_stored = nullptr;
  /// Called from time to time, by the calling thread, with the fraction done. If it returns false, the read
  /// ends with kCancelled and the contents of `out` are undefined.
  std::function<bool(double)> progress = {};
  ReadStatistics* statistics = nullptr;  ///< set if the read succeeds
};

/// The time-dependent fields of a grid, or its fixed fields. In an IDX dataset each part has its own .idx
/// file.
struct PartInfo {
  std::string name;  ///< the grid's name, followed by "_fixed" for fixed fields
  std::string path;  ///< of its .idx, or of the file that contains all parts
  std::vector<std::string> fields;
  Box box;
  std::string bitmask;     ///< defines the order of its levels
  int bits_per_block = 0;  ///< 0 (like the numbers of blocks) if the format has no blocks
  Index blocks_per_file = 0;
  Index num_blocks = 0;  ///< blocks that exist, per field and step
  Index num_steps = 0;   ///< 1 for fixed fields
};

/// Number and size of a dataset's files.
struct StorageInfo {
  Index files = 0;
  Index bytes = 0;
};

/// How to open a dataset.
struct OpenOptions {
  bool verify = false;  ///< check each block against its checksum, if the file has one
  int threads = 0;      ///< maximum per read; 0: the number of processors available to the process
  /// Size of the cache of blocks that were decoded or read remotely. 0: no cache.
  Index cache_bytes = Index{64} << 20;
  /// Resolves paths; null: local files. With a source and `threads` = 0, up to 16 threads read at once.
  std::shared_ptr<const ByteSource> source = {};
};

class ESKER_API Dataset {
 public:
  /// `path`: an .idx file, a directory that a Writer made (with or without the ".idx" or ".nc" that was given
  /// to the Writer), a CDF file (netCDF's classic formats), or an HDF5 file (NetCDF-4 or plain, if Esker was
  /// built with HDF5). The file may come from another program: its fields are then the numeric variables with
  /// at least one axis in addition to the record dimension, and its steps are the records; warnings() names
  /// what is skipped. Reads headers, coordinates and times only. Changes no file. If the dataset is being
  /// written, its committed steps are visible. Errors: kNotFound, kDataLoss (damaged), kUnsupported.
  static Result<Dataset> open(const std::string& path, const OpenOptions& options = {});

  Dataset(Dataset&&) noexcept;
  Dataset& operator=(Dataset&&) noexcept;
  ~Dataset();

  /// Dimensions, grids, fields, attributes.
  [[nodiscard]] const Schema& schema() const;
  /// Time value of each step.
  [[nodiscard]] const std::vector<double>& steps() const;
  /// Whether the field was written at that step (0 ... steps().size() - 1); fixed fields: always.
  Result<bool> has(const std::string& field, Index step) const;
  /// Finest level of the field's grid.
  Result<int> max_level(const std::string& field) const;
  /// The index range of the field's grid (its lower corner may differ from 0 in foreign files).
  Result<Box> box(const std::string& field) const;

  /// The samples that `query` selects. The lattice is anchored at index 0 of the grid, not at the box; a
  /// count of 0 means that no sample lies in the box. Returns the errors that read() would return for the
  /// query itself. If the field was written at no step, the query's step is ignored.
  Result<Lattice> select(const Query& query) const;
  /// The level that read() reads: the query's level, or the coarsest one that contains the samples of its
  /// stride.
  Result<int> level_of(const Query& query) const;
  /// Reads the selected samples into `out`: dense, x fastest, components innermost, host byte order.
  /// `out_bytes` is exactly num_samples * sample bytes. Missing blocks are handled as options.missing says.
  /// Safe to call from several threads at once. Errors: kOutOfRange for a box outside the grid, a step or
  /// level that does not exist, or a start_level above the level; kInvalidArgument for kNearest with a
  /// stride.
  Status read(const Query& query, void* out, std::size_t out_bytes, const ReadOptions& options = {}) const;

  /// The parts that the dataset consists of.
  [[nodiscard]] const std::vector<PartInfo>& parts() const;
  /// Problems with files that are not needed to read samples; attributes may then be missing.
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  /// Counts the files that contain samples of committed steps. Queries the metadata of every file.
  Result<StorageInfo> storage() const;

  class Impl;

 private:
  explicit Dataset(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace esker
