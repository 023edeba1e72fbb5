// Dataset: reads what was written - any step, box and resolution level - without MPI.
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

/// What to read: all samples of the levels <= `level` of one field at one step that lie in `box`, or every so
/// many of them.
struct Query {
  std::string field;
  Index step = -1;                ///< position in Dataset::steps(), negative from the end; fixed fields: any
  /// Half open, x first, in samples of the full grid, in which it lies; absent: the whole grid.
  std::optional<Box> box = {};
  std::optional<int> level = {};  ///< 0 ... max_level(); absent: max_level(), every sample
  /// The samples whose index is a multiple of it on each axis, in place of those of a level: `level` is
  /// absent then, and the coarsest that has them all is read.
  std::optional<Point> stride = {};
  /// Samples of coarser levels than this one are in the caller's memory already and need not be read.
  int start_level = 0;
};

/// What samples are whose block the dataset does not hold.
enum class MissingBlocks {
  kAuto,     ///< kFill, where other programs may leave blocks out; kDataLoss, where Esker wrote them all
  kFill,     ///< the field's _FillValue, if it has one, else its default value
  kNearest,  ///< the nearest coarser sample of those that are asked for, if there is one; else as kFill
};

/// What a read cost.
struct ReadStatistics {
  Index blocks = 0;          ///< that were read, or parts of them; 0 of files without blocks, as the next two
  Index cached_blocks = 0;   ///< that were at hand
  Index missing_blocks = 0;  ///< that the dataset does not hold
  Index reads = 0;           ///< calls to the file system, or to the library that reads
  Index bytes = 0;           ///< that these read
  double seconds = 0;
};

/// How to carry out a query. All of it may be left out.
struct ReadOptions {
  MissingBlocks missing = MissingBlocks::kAuto;
  /// One byte per sample of the answer, in its order: set to 1 if the sample is stored, else to 0.
  std::uint8_t* is_stored = nullptr;
  /// Called now and then, by the calling thread, with the fraction that is done. Where it returns false, the
  /// read ends with kCancelled, and the memory holds anything.
  std::function<bool(double)> progress = {};
  ReadStatistics* statistics = nullptr;  ///< set if the read succeeds
};

/// A grid's fields that vary in time, or its fixed ones. In an IDX dataset each part is one .idx.
struct PartInfo {
  std::string name;  ///< the grid's name, "_fixed" behind it for fixed fields
  std::string path;  ///< of its .idx, or of the file that all parts are in
  std::vector<std::string> fields;
  Box box;
  std::string bitmask;     ///< the order of its levels
  int bits_per_block = 0;  ///< 0, as the numbers of blocks: not in blocks
  Index blocks_per_file = 0;
  Index num_blocks = 0;  ///< blocks that exist, per field and step
  Index num_steps = 0;   ///< 1 for fixed fields
};

/// Files of a dataset as found on storage.
struct StorageInfo {
  Index files = 0;
  Index bytes = 0;
};

/// How to read.
struct OpenOptions {
  bool verify = false;  ///< compare each block that is read with its checksum, where the file has one
  int threads = 0;      ///< that one read uses at most; 0: as many as the process may use processors
  /// Of blocks that were decoded, or came from afar, kept for the reads that follow. 0: none.
  Index cache_bytes = Index{64} << 20;
  /// Where paths lead to; null: to files of this machine. Of a source, up to 16 threads read at once if
  /// `threads` is 0.
  std::shared_ptr<const ByteSource> source = {};
};

class ESKER_API Dataset {
 public:
  /// `path`: an .idx file, a directory that a Writer made (with or without the ".idx" or ".nc" that was given
  /// to the Writer), a CDF file (netCDF's classic formats), or an HDF5 file (NetCDF-4 or plain; where Esker
  /// was built with HDF5), of Esker or not. Of others', fields are the numeric variables with at least one
  /// axis beside that of the records, and steps are the records; warnings() names what is left out. Reads
  /// headers, coordinates and times only. Changes nothing: of a file that is being written the committed
  /// steps are seen. Errors: kNotFound, kDataLoss (damaged), kUnsupported.
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

  /// Which samples `query` means: the lattice is anchored at index 0 of the grid, not at the box; a count of
  /// 0 says that no sample lies in the box. The errors that read() would give for the query itself; if the
  /// field was written at no step, the query's step does not matter.
  Result<Lattice> select(const Query& query) const;
  /// The level that read() reads for it: the query's, or the coarsest that has its strides.
  Result<int> level_of(const Query& query) const;
  /// Reads them to `out`: dense, x fastest, components innermost, host byte order. `out_bytes` is exactly
  /// num_samples * sample bytes. Blocks that are absent read as the field's default value. Safe to call from
  /// several threads at once.
  /// kOutOfRange for a box that leaves the grid, a step or level that the dataset does not have, or a
  /// start_level beyond the level; kInvalidArgument for kNearest with a stride.
  Status read(const Query& query, void* out, std::size_t out_bytes, const ReadOptions& options = {}) const;

  /// What the dataset consists of.
  [[nodiscard]] const std::vector<PartInfo>& parts() const;
  /// What is wrong with files that are not needed to read the samples (attributes may then be missing).
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  /// Files with samples of committed steps. Touches every file's metadata.
  Result<StorageInfo> storage() const;

  class Impl;

 private:
  explicit Dataset(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace esker
