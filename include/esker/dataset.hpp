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
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/byte_source.hpp"
#include "esker/types/dataset_info.hpp"  // IWYU pragma: export
#include "esker/types/export.h"
#include "esker/types/lattice.hpp"
#include "esker/types/patch.hpp"
#include "esker/types/query.hpp"  // IWYU pragma: export
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"

namespace esker {

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
  /// Whether the field is on a mesh whose levels are stored whole, also under finer ones, so that
  /// Query::mesh_level can read them.
  Result<bool> has_whole_levels(const std::string& field) const;
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
  /// Memory of a GPU is filled through a copy on the host (docs/guide/gpu.md).
  /// Safe to call from several threads at once. Errors: kOutOfRange for a box outside the grid, a step or
  /// level that does not exist, or a start_level above the level.
  Status read(const Query& query, void* out, std::size_t out_bytes, const ReadOptions& options = {}) const;
  /// The same into memory with any strides (ghost cells, any order of axes), of the field's type. Only the
  /// extents of out.box count: the samples that are selected along each axis. Other bytes are unchanged.
  /// Memory of the host whose components are adjacent is filled without a copy; other memory needs one of all
  /// samples on the host. Errors also: kInvalidArgument (other extents or type, NULL, samples that share
  /// memory, no memory of a GPU though out.is_on_device), kWrongOrder (a stream that is captured), those of a
  /// GPU's driver.
  Status read(const Query& query, const MutablePatch& out, const ReadOptions& options = {}) const;

  /// The level map: the finest level that is stored, with all coarser ones, at the place of each sample of
  /// `query`, in the order of read(); -1 where the coarsest is not stored, even if finer ones are.
  /// max_level() everywhere, unless the step is sparse (Writer::keep). Opens no block file. `count` is
  /// exactly select(query).num_samples(). Errors: those of select(), kDataLoss.
  Status levels(const Query& query, std::int8_t* out, std::size_t count) const;
  /// What a sparse step stores of a field; nothing if it stores all samples. Opens no block file. Errors:
  /// kNotFound (not written at that step), kOutOfRange, kDataLoss.
  Result<std::optional<StoredSamples>> stored_samples(const std::string& field, Index step) const;
  /// The patches that a step put on the field's mesh: ascending level, then by lower corners, slowest axis
  /// first. Empty if the grid is no mesh. Errors: kNotFound (not written at that step), kOutOfRange,
  /// kDataLoss.
  Result<std::vector<MeshBox>> patches(const std::string& field, Index step) const;
  /// What they are of each level, [level]. The same errors.
  Result<std::vector<LevelCover>> level_covers(const std::string& field, Index step) const;
  /// The parts that the dataset consists of.
  [[nodiscard]] const std::vector<PartInfo>& parts() const;
  /// Problems with files that are not needed to read samples; attributes may then be missing.
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  /// What lossy compression changed in a field at a step (as in Query), over all samples of the grid; in a
  /// copy of a lossy field also what was changed before (the field's attribute prior_errors). Nothing if the
  /// field is stored without loss; NaN if a program stored it that does not record errors. The values are
  /// bounds: no true error is larger. Reads the block tables of the step, no samples. Errors: kNotFound (not
  /// written at that step), kOutOfRange, kDataLoss.
  Result<std::optional<FieldErrors>> errors(const std::string& field, Index step) const;
  /// The largest absolute error of a field at each step, 0 where it is absent; one value if it is fixed.
  /// Empty where errors() has nothing. Reads nothing unless the field is fixed.
  Result<std::vector<double>> largest_errors(const std::string& field) const;
  /// Counts the files that contain samples of committed steps. Queries the metadata of every file.
  Result<StorageInfo> storage() const;

  class Impl;

 private:
  explicit Dataset(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace esker
